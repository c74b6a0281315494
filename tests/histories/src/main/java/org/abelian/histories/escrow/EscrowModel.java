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
 * What escrow must do, by definition: tries out every combination of what the running transactions
 * may leave, or have been at. A transaction can leave nothing, by abort, go back to one of its
 * savepoints, or end as it is; and others that end before it must have left room for each of its
 * steps.
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

  /** The states since each savepoint that is set, the last of them first. */
  private final Map<Integer, Deque<Deque<Long>>> running = new HashMap<>();

  /** A sum between bounds. */
  public EscrowModel(long initial, long floor, long ceiling) {
    this.committed = initial;
    this.floor = floor;
    this.ceiling = ceiling;
  }

  /** Begins a transaction. */
  public void begin(int transaction) {
    running.put(transaction, new ArrayDeque<>(List.of(new ArrayDeque<>(List.of(0L)))));
  }

  /** Judges an operation of a transaction. */
  public Verdict judge(int transaction, long delta) {
    List<Long> sums = new ArrayList<>(List.of(committed + now(transaction) + delta));
    for (Map.Entry<Integer, Deque<Deque<Long>>> other : running.entrySet()) {
      if (other.getKey() != transaction) {
        Set<Long> next = new LinkedHashSet<>();
        for (long sum : sums) {
          next.add(sum);
          other.getValue().forEach(states -> states.forEach(state -> next.add(sum + state)));
        }
        sums = new ArrayList<>(next);
      }
    }
    long kept = sums.stream().filter(sum -> delta < 0 ? sum >= floor : sum <= ceiling).count();
    return kept == sums.size() ? Verdict.FITS : kept > 0 ? Verdict.WAITS : Verdict.NEVER;
  }

  /** Whether a transaction has done something that it has not undone. */
  public boolean hasOperated(int transaction) {
    return running.get(transaction).stream().anyMatch(states -> states.size() > 1);
  }

  /** Sets a savepoint. */
  public void savepoint(int transaction) {
    running.get(transaction).push(new ArrayDeque<>(List.of(now(transaction))));
  }

  /** Does an operation. */
  public void operate(int transaction, long delta) {
    running.get(transaction).peek().push(now(transaction) + delta);
  }

  /** Whether a savepoint is set. */
  public boolean hasSavepoint(int transaction) {
    return running.get(transaction).size() > 1;
  }

  /** Goes back to the last savepoint, and before it. */
  public void back(int transaction) {
    running.get(transaction).pop();
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
    return running.get(transaction).peek().peek();
  }
}
