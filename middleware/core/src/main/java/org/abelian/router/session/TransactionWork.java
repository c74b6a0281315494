package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.BlindFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.statement.RoutedStatement;

/**
 * What a transaction has done, as far as its commit class depends on it: its blind operations, and
 * the first thing that was more than that. Not thread-safe.
 */
public final class TransactionWork {
  /** A transaction that does more is coordinated: its intent would be large. */
  private static final int OPERATIONS_MAX = 1_000;

  /** What {@link #refuse} is told of a statement on several nodes. */
  public static final String SEVERAL_NODES = "one statement writes on several nodes";

  private final List<BlindOperation> operations = new ArrayList<>();
  private String obstacle;

  /** A statement is about to go to a node. */
  public void enters(RoutedStatement routed) {
    boolean onlyPlans = routed.explains() != null && !routed.explains().analyze();
    if (obstacle != null || onlyPlans) {
      return;
    }
    StatementFacts facts = routed.facts();
    BlindFacts blind = facts.change().blind();
    if (blind != null && blind.redo() != null) {
      return; // Counted when it is executed.
    }
    if (blind != null) {
      refuse(facts.tag() + ": " + blind.reason());
    } else if (facts.kind() != StatementKind.SELECT || routed.writes()) {
      refuse(facts.tag() + " is more than a commuting operation");
    } else if (routed.locks()) {
      refuse("it locks rows");
    } else if (!facts.calls().functions().isEmpty()) {
      refuse("it calls " + facts.calls().functions().get(0));
    }
  }

  /** A blind statement runs. */
  public void operates(BlindOperation operation) {
    if (operations.size() == OPERATIONS_MAX) {
      refuse("it has more than " + OPERATIONS_MAX + " operations");
    } else if (obstacle == null) {
      operations.add(operation);
    }
  }

  /** The transaction is more than blind operations. */
  public void refuse(String reason) {
    if (obstacle == null) {
      obstacle = reason;
      operations.clear();
    }
  }

  /** Why the transaction is more than blind operations; null when it is not. */
  public String obstacle() {
    return obstacle;
  }

  /** What it has done on the nodes, in order; empty when there is an obstacle. */
  public List<BlindOperation> operations() {
    return operations;
  }

  /** The next transaction begins. */
  public void clear() {
    operations.clear();
    obstacle = null;
  }
}
