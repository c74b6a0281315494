package org.abelian.advisor.validation;

import java.util.BitSet;
import java.util.TreeSet;
import org.abelian.advisor.placement.PlacedTuples;
import org.abelian.advisor.workload.Workload;

/**
 * What one transaction visits, and so how it is committed. A transaction is the call of a
 * distributed procedure, of which its participants are known before it begins; or it is statements
 * that come one after the other, each of which goes where it must when it comes.
 */
final class Visit {
  private final Workload workload;
  private final PlacedTuples placed;
  private final int nodes;
  private final int transaction;
  private final boolean call;
  private final double[] load;
  private final double weight;
  private final BitSet visited;
  private final BitSet written;
  private final BitSet writtenByStep;
  private int step = -1;
  private boolean lost;
  private boolean hard;
  private boolean decidesApart;

  /** Types that would make all its hard writes commute; null when some cannot. */
  private TreeSet<String> retypings = new TreeSet<>();

  /**
   * Visits all that the transaction touches.
   *
   * @param call whether it is the call of a procedure
   * @param load what each node has to do; the transaction's part is added, times its weight
   */
  Visit(
      Workload workload,
      PlacedTuples placed,
      int transaction,
      boolean call,
      double[] load,
      double weight) {
    this.workload = workload;
    this.placed = placed;
    this.transaction = transaction;
    this.call = call;
    this.load = load;
    this.weight = weight;
    nodes = load.length;
    visited = new BitSet(nodes);
    written = new BitSet(nodes);
    writtenByStep = new BitSet(nodes);
    for (int access = first(); access < end(); access++) {
      add(access);
    }
  }

  private int first() {
    return workload.first(transaction);
  }

  private int end() {
    return workload.first(transaction + 1);
  }

  /** The nodes that it must reach; empty when any will do. */
  BitSet visited() {
    return visited;
  }

  /** Whether a statement does not say where its rows are, and goes to all nodes. */
  boolean isLost() {
    return lost;
  }

  /** Types that would make it commute, in a row; null when none would. */
  String retypings() {
    return retypings == null ? null : String.join(", ", retypings);
  }

  private void add(int access) {
    if (workload.step(access) != step) {
      step = workload.step(access);
      writtenByStep.clear();
    }
    int tuple = workload.tuple(access);
    int partition = placed.partition(tuple);
    boolean everywhere = partition == PlacedTuples.EVERYWHERE;
    if (workload.writes(access)) {
      addWrite(access, partition);
    } else if (everywhere) {
      return;
    }
    decidesApart |= !everywhere && workload.decides(access);
    if (partition < 0 || !placed.routable(tuple, workload.bound(access))) {
      lost |= !everywhere;
      visit(0, nodes);
    } else {
      visit(partition, partition + 1);
    }
  }

  private void addWrite(int access, int partition) {
    boolean one = partition >= 0;
    written.set(one ? partition : 0, one ? partition + 1 : nodes);
    writtenByStep.set(one ? partition : 0, one ? partition + 1 : nodes);
    if (!workload.commutes(access)) {
      hard = true;
      addRetyping(workload.retyped(access));
    }
    boolean knows = one && placed.routable(workload.tuple(access), workload.bound(access));
    // A statement that goes to several nodes is no blind operation of one of them.
    if (!call && (!knows || writtenByStep.cardinality() > 1)) {
      hard = true;
      retypings = null;
    }
  }

  private void addRetyping(String types) {
    if (types == null) {
      retypings = null;
    } else if (retypings != null) {
      retypings.add(types);
    }
  }

  private void visit(int from, int to) {
    visited.set(from, to);
    for (int node = from; node < to; node++) {
      load[node] += weight;
    }
  }

  /**
   * Reads of what is everywhere go where the transaction is anyway (the greedy hitting set, where a
   * tuple has one home or all); if it is nowhere, to any node.
   */
  void settle() {
    int home = visited.isEmpty() ? first() % nodes : visited.nextSetBit(0);
    visited.set(home);
    for (int access = first(); access < end(); access++) {
      if (placed.partition(workload.tuple(access)) == PlacedTuples.EVERYWHERE
          && !workload.writes(access)) {
        load[home] += weight;
      }
    }
  }

  /** How it is committed. */
  TransactionKind kind() {
    if (visited.cardinality() == 1) {
      return TransactionKind.SINGLE;
    }
    // A call writes where its participants decide to, which nobody knows before.
    if (written.isEmpty() || !call && written.cardinality() == 1) {
      return TransactionKind.READS;
    }
    if (!hard) {
      return TransactionKind.COMMUTING;
    }
    return call && !decidesApart && !needsAcross()
        ? TransactionKind.INDEPENDENT
        : TransactionKind.COORDINATED;
  }

  private boolean needsAcross() {
    for (int access = first(); access < end(); access++) {
      int[] earlier = workload.earlier(access);
      for (int other = first(); earlier != null && other < end(); other++) {
        if (contains(earlier, workload.step(other)) && apart(access, other)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean apart(int access, int other) {
    int needing = placed.partition(workload.tuple(access));
    int needed = placed.partition(workload.tuple(other));
    return needed != PlacedTuples.EVERYWHERE && needing != needed;
  }

  private static boolean contains(int[] steps, int step) {
    for (int one : steps) {
      if (one == step) {
        return true;
      }
    }
    return false;
  }
}
