package org.abelian.histories.escrow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What escrow must do, by definition: tries out every combination of ends of the running
 * transactions. A transaction can end by abort, by going back to one of its savepoints, or as it
 * is.
 */
public final class EscrowModel {
  /** What must become of an operation. */
  public enum Verdict {
    /** The bounds are kept however the others end. */
    FITS,
    /** They are kept in some ends of the others. */
    WAITS,
    /** They are crossed however the others end. */
    NEVER
  }

  private final long floor;
  private final long ceiling;
  private long committed;
  private final Map<Integer, Deque<Long>> running = new HashMap<>();

  /** A sum between bounds. */
  public EscrowModel(long initial, long floor, long ceiling) {
    this.committed = initial;
    this.floor = floor;
    this.ceiling = ceiling;
  }

  /** Begins a transaction. */
  public void begin(int transaction) {
    running.put(transaction, new ArrayDeque<>(List.of(0L)));
  }

  /** Judges an operation of a transaction. */
  public Verdict judge(int transaction, long delta) {
    List<Long> sums = new ArrayList<>(List.of(committed + now(transaction) + delta));
    for (Map.Entry<Integer, Deque<Long>> other : running.entrySet()) {
      if (other.getKey() != transaction) {
        Set<Long> next = new LinkedHashSet<>();
        for (long sum : sums) {
          next.add(sum);
          other.getValue().forEach(end -> next.add(sum + end));
        }
        sums = new ArrayList<>(next);
      }
    }
    long kept = sums.stream().filter(sum -> delta < 0 ? sum >= floor : sum <= ceiling).count();
    return kept == sums.size() ? Verdict.FITS : kept > 0 ? Verdict.WAITS : Verdict.NEVER;
  }

  /** Sets a savepoint and does the operation after it. */
  public void operate(int transaction, long delta) {
    running.get(transaction).push(now(transaction) + delta);
  }

  /** Goes back to before the last operation; false if there is none. */
  public boolean back(int transaction) {
    Deque<Long> states = running.get(transaction);
    if (states.size() == 1) {
      return false;
    }
    states.pop();
    return true;
  }

  /** Ends a transaction. */
  public void end(int transaction, boolean commit) {
    long net = now(transaction);
    running.remove(transaction);
    committed += commit ? net : 0;
  }

  /** What is committed. */
  public long committed() {
    return committed;
  }

  private long now(int transaction) {
    return running.get(transaction).peek();
  }
}
