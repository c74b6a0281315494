package org.abelian.router.session;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What a router knows about reads of several nodes, for each set of nodes. Thread-safe. */
public final class ReadLedger {
  /** Beyond so many sets of nodes all is forgotten. */
  private static final int SETS_MAX = 256;

  private final Map<List<Integer>, ReadKnowledge> known = new ConcurrentHashMap<>();

  /** Where the last read has met a transaction half-way. */
  private final Set<List<Integer>> contended = ConcurrentHashMap.newKeySet();

  /** So many reads in a row take turns, or have witnesses, before one tries without. */
  private static final int IN_A_ROW = 16;

  /** How many of the next reads take turns, where independent transactions are run. */
  private final Map<List<Integer>, Integer> turns = new ConcurrentHashMap<>();

  /**
   * What the next reads ask.
   *
   * @param asked all nodes; none but those that are read where a witness could not be asked
   */
  private record Witnesses(List<Integer> asked, int left) {
    /** Null when the next read is to try without. */
    Witnesses afterOne() {
      return left > 1 ? new Witnesses(asked, left - 1) : null;
    }
  }

  private final Map<List<Integer>, Witnesses> witnesses = new ConcurrentHashMap<>();

  private final GateTurns gateTurns = new GateTurns(System::nanoTime);

  /** Which reads pass the gates. */
  public GateTurns gateTurns() {
    return gateTurns;
  }

  /**
   * What is known of transactions over these nodes, in this order, or over more; null when a read
   * has to pass their gates.
   */
  public ReadKnowledge of(List<Integer> nodes) {
    ReadKnowledge exact = known.get(nodes);
    if (exact != null) {
      return exact;
    }
    for (Map.Entry<List<Integer>, ReadKnowledge> more : known.entrySet()) {
      if (more.getKey().containsAll(nodes)) {
        begin(nodes, more.getValue().of(nodes));
        return known.get(nodes);
      }
    }
    return null;
  }

  /** This is too old, or of another run, and so is what it came from. */
  public void forget(List<Integer> nodes, ReadKnowledge old) {
    known.remove(nodes, old);
    known.values().removeIf(more -> more.beginsAs(old));
  }

  /** True when a read of these nodes will likely have to be bound anew. */
  public boolean isContended(List<Integer> nodes) {
    return !contended.isEmpty() && contended.contains(nodes);
  }

  /** True when a read of these nodes likely needs one round, and nobody but them. */
  public boolean isAtRest(List<Integer> nodes) {
    return !isContended(nodes)
        && (turns.isEmpty() || !turns.containsKey(nodes))
        && (witnesses.isEmpty() || !witnesses.containsKey(nodes));
  }

  /** A read has met a transaction half-way at its first try, or none. */
  public void met(List<Integer> nodes, boolean halfWay) {
    if (halfWay) {
      contended.add(List.copyOf(nodes));
    } else if (!contended.isEmpty()) {
      contended.remove(nodes);
    }
  }

  /**
   * Whether a read of these nodes had better take its turn among independent transactions from the
   * beginning; it does.
   */
  public boolean takesTurn(List<Integer> nodes) {
    return !turns.isEmpty()
        && turns.computeIfPresent(nodes, (same, left) -> left > 1 ? left - 1 : null) != null;
  }

  /** A read of these nodes has met independent transactions. */
  public void metIndependent(List<Integer> nodes) {
    turns.put(List.copyOf(nodes), IN_A_ROW);
  }

  /** A read of these nodes was given no place: the next one tries without. */
  public void leaveTurns(List<Integer> nodes) {
    turns.remove(nodes);
  }

  /**
   * The nodes that a read of these had better ask: these, and witnesses, which only tell what their
   * snapshots show.
   */
  public List<Integer> asked(List<Integer> nodes) {
    Witnesses now = witnesses.get(nodes);
    if (now == null) {
      return nodes;
    }
    witnesses.computeIfPresent(nodes, (same, some) -> some.afterOne());
    return now.asked();
  }

  /** A read of these nodes has met transactions that have others, too: the next ones ask all. */
  public void needsWitnesses(List<Integer> nodes, List<Integer> asked) {
    witnesses.put(List.copyOf(nodes), new Witnesses(List.copyOf(asked), IN_A_ROW));
  }

  /** A witness cannot be asked: the next reads do not try it. */
  public void leaveWitnesses(List<Integer> nodes) {
    needsWitnesses(nodes, nodes);
  }

  /** False when a witness of these could not be asked a short while ago. */
  public boolean mayHaveWitnesses(List<Integer> nodes) {
    Witnesses now = witnesses.get(nodes);
    return now == null || now.asked().size() > nodes.size();
  }

  /** A read has learned this from snapshots taken behind the gates; null for nothing. */
  public void begin(List<Integer> nodes, ReadKnowledge knowledge) {
    if (knowledge == null) {
      return;
    }
    if (known.size() >= SETS_MAX) {
      known.clear();
      contended.clear();
      turns.clear();
      witnesses.clear();
    }
    known.put(List.copyOf(nodes), knowledge);
  }

  /**
   * A read that passed no gate has learned more, unless another was faster; both may be kept, as
   * both are true.
   *
   * @param after null for nothing
   */
  public void learn(List<Integer> nodes, ReadKnowledge before, ReadKnowledge after) {
    if (after != null) {
      known.replace(nodes, before, after);
    }
  }
}
