package org.abelian.router.session;

import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;

/**
 * A text with parameter types, shared by all sessions of a router that use it, and what is known
 * about it.
 */
final class SharedStatement {
  /**
   * From this use on, a text that clients parse without a name is prepared on nodes under a name.
   */
  private static final int NAMED_FROM = 3;

  /** What is known about a text takes this at least, in bytes. */
  private static final int HELD_LEAST = 1000;

  /**
   * What a node said about it.
   *
   * @param scope whose analysis this is: sessions with the same search path and the like
   * @param epoch the router's schema epoch then
   */
  record Analysed(Object scope, long epoch, RoutedStatement routed) {}

  private final NodeStatement statement;
  private final String sql;
  private final TransactionCommand command;
  private final ExplainCommand explain;
  private final boolean blank;
  private final AtomicInteger uses = new AtomicInteger();
  private volatile Analysed analysed;

  /** How many clients have it under a name. */
  private int holders;

  SharedStatement(NodeStatement statement) {
    this.statement = statement;
    sql = statement.sql();
    command = TransactionCommand.of(sql);
    explain = command == null ? ExplainCommand.of(sql) : null;
    blank = sql.isBlank() || sql.strip().equals(";");
  }

  /** As nodes see it. */
  NodeStatement statement() {
    return statement;
  }

  /** The text. */
  String sql() {
    return sql;
  }

  /** What it does to transactions; null when it is an ordinary statement. */
  TransactionCommand command() {
    return command;
  }

  /** What it asks to be explained; null when it is an ordinary statement. */
  ExplainCommand explain() {
    return explain;
  }

  /** True when there is nothing to run. */
  boolean isBlank() {
    return blank;
  }

  /** Counts a Parse without a name. */
  void parsed() {
    if (uses.get() < NAMED_FROM) {
      uses.incrementAndGet();
    }
  }

  /** True when the statement comes often enough to be prepared on nodes under a name. */
  boolean isFrequent() {
    return uses.get() >= NAMED_FROM;
  }

  /**
   * A client is to have it under a name. Its text is counted once, however many clients have it.
   *
   * @throws AbelianException 53200 when there is no memory for it
   */
  synchronized void hold(MemoryBudget memory) {
    if (holders == 0) {
      memory.take(heldBytes());
    }
    holders++;
  }

  /** A client has it no longer. */
  synchronized void release(MemoryBudget memory) {
    holders--;
    if (holders == 0) {
      memory.give(heldBytes());
    }
  }

  /** True when it takes as much as a buffer that is counted. */
  boolean isLarge() {
    return statement.heapBytes() > MemoryBudget.SMALL;
  }

  /** As bytes for nodes and as a string. */
  private long heldBytes() {
    return HELD_LEAST + 2 * statement.heapBytes();
  }

  /** The last analysis of any session; may be of another scope. */
  Analysed analysed() {
    return analysed;
  }

  void analysed(Analysed result) {
    analysed = result;
  }
}
