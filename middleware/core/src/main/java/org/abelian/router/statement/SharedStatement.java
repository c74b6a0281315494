package org.abelian.router.statement;

import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.pool.NodeStatement;

/**
 * A text with parameter types, shared by all sessions of a router that use it, and what is known
 * about it.
 */
public final class SharedStatement {
  /**
   * From this use on, a text that clients parse without a name is prepared on nodes under a name.
   */
  private static final int NAMED_FROM = 3;

  /** What is known about a text; an {@link AnalysedStatement}. */
  interface Known {}

  private final NodeStatement statement;
  private final String sql;
  private final TransactionCommand command;
  private final ExplainCommand explain;
  private final boolean blank;
  private final AtomicInteger uses = new AtomicInteger();
  private volatile Known known;

  public SharedStatement(NodeStatement statement) {
    this.statement = statement;
    sql = statement.sql();
    command = TransactionCommand.of(sql);
    explain = command == null ? ExplainCommand.of(sql) : null;
    blank = sql.isBlank() || sql.strip().equals(";");
  }

  /** As nodes see it. */
  public NodeStatement statement() {
    return statement;
  }

  /** The text. */
  public String sql() {
    return sql;
  }

  /** What it does to transactions; null when it is an ordinary statement. */
  public TransactionCommand command() {
    return command;
  }

  /** What it asks to be explained; null when it is an ordinary statement. */
  public ExplainCommand explain() {
    return explain;
  }

  /** True when there is nothing to run. */
  public boolean isBlank() {
    return blank;
  }

  /** Counts a Parse without a name. */
  public void parsed() {
    if (uses.get() < NAMED_FROM) {
      uses.incrementAndGet();
    }
  }

  /** True when the statement comes often enough to be prepared on nodes under a name. */
  public boolean isFrequent() {
    return uses.get() >= NAMED_FROM;
  }

  /** What some session has found out; it may be of another scope. Null before. */
  Known known() {
    return known;
  }

  void known(Known found) {
    known = found;
  }
}
