package org.abelian.router.trace;

import java.util.function.LongPredicate;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.protocol.BindMessage;

/**
 * One session's part in the trace: what its transaction has done so far. A transaction that grows
 * too large, or for which there is no room, is left out as a whole. Used by the session's thread
 * only.
 */
public final class SessionTrace {
  /** What the statements of one transaction may take, in bytes. */
  static final int TRANSACTION_MAX = 4 << 20;

  private final TraceQueue queue;
  private final LongPredicate sampling;
  private final long base;
  private final TracedTransaction.Session session;

  /** How many transactions there were. */
  private long number;

  /** How many lines the session has. */
  private long lines;

  /** The transaction that goes on; null before its first statement, and when it is left out. */
  private TracedTransaction open;

  /** Whether it is known if the transaction is recorded. */
  private boolean decided;

  /** Whether the transaction has a name of its own, which may be none. */
  private boolean named;

  private String ownName;

  /**
   * Nothing is done yet.
   *
   * @param base the number of the session's transactions begin after it
   */
  SessionTrace(
      TraceQueue queue, LongPredicate sampling, long base, TracedTransaction.Session session) {
    this.queue = queue;
    this.sampling = sampling;
    this.base = base;
    this.session = session;
  }

  /**
   * A statement is bound, and may run.
   *
   * @param nodes where it goes
   * @return null when it is not to be recorded
   */
  public TracedStatement bound(
      String sql, StatementFacts facts, Catalog catalog, int[] nodes, BindMessage bind) {
    if (!touchesRows(facts)) {
      return null;
    }
    if (!decided) {
      decided = true;
      number++;
      open = sampling.test(base + number) ? new TracedTransaction(session, number) : null;
    }
    if (open == null) {
      return null;
    }
    if (sql.length() > TRANSACTION_MAX) {
      drop();
      return null;
    }
    TracedStatement statement = new TracedStatement(sql, facts, catalog, nodes, bind);
    boolean fits = open.bytes() + statement.bytes() <= TRANSACTION_MAX;
    if (!fits || !queue.reserve(statement.bytes())) {
      drop();
      return null;
    }
    open.charge(statement.bytes());
    return statement;
  }

  /** Commands about the session, roles and the schema say nothing about rows, and may be secret. */
  private static boolean touchesRows(StatementFacts facts) {
    if (facts.calls().procedure() != null) {
      return true;
    }
    if (facts.kind() == StatementKind.UTILITY) {
      UtilityKind utility = facts.command().utility();
      return utility == UtilityKind.DECLARE
          || utility == UtilityKind.COPY_FROM
          || utility == UtilityKind.COPY_TO;
    }
    if (facts.kind() != StatementKind.SELECT && !facts.kind().modifies()) {
      return false;
    }
    for (RelationFacts relation : facts.relations()) {
      if (!relation.catalog()) {
        return true;
      }
    }
    return false;
  }

  /**
   * A statement has run, and its answer is complete.
   *
   * @param block whether the client has begun the transaction
   * @param tag of the answer; null when it is not known
   * @param name what the client calls its transactions; null when it does not say
   */
  public void executed(TracedStatement statement, boolean block, String tag, String name) {
    if (statement.end(tag) && open != null) {
      open.add(statement, block);
      open.name(named ? ownName : name);
    }
  }

  /** What the client calls this one transaction; null for nothing. */
  public void named(String name) {
    named = true;
    ownName = name;
  }

  /** How the transaction is committed, when more than one node has a part in that. */
  public void commitClass(String name) {
    if (open != null) {
      open.commitClass(name);
    }
  }

  /** The messages that belong to the transaction so far will be run again. */
  public void runsAgain() {
    if (open != null) {
      open.clear();
    }
  }

  /** The transaction is over. */
  public void ended(boolean committed) {
    if (open != null) {
      if (open.statements().isEmpty()) {
        queue.release(open.bytes());
      } else {
        open.end(committed, lines + 1);
        lines += open.lines();
        queue.add(open);
      }
      open = null;
    }
    decided = false;
    named = false;
    ownName = null;
  }

  private void drop() {
    queue.counts().dropped(1, open.statements().size());
    queue.release(open.bytes());
    open = null;
  }
}
