package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.ScriptedCluster;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.statement.RoutedStatement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is asked, and whose time it is, when statements ask for the time of their transaction. */
class TransactionClockTest extends ScriptedCluster {
  private static final String FACTS =
      "{\"kind\": \"insert\", \"tag\": \"INSERT\", \"span\": [0, 1], \"clock\": %s}";

  private Transactions transactions;

  @BeforeEach
  void begin() {
    transactions = context.transactions();
    transactions.beginGroup();
    nodes.forEach(node -> node.answer(TransactionClock.ASK.sql(), "SELECT 1", "71,72"));
  }

  private RoutedStatement statement(boolean asks) {
    return bound("INSERT", FACTS.formatted(asks)).routed();
  }

  private void runOn(int node, boolean asks) throws IOException {
    Backend backend = backends.backend(catalog, node);
    transactions.enter(backend, statement(asks));
    transactions.inject(backend, NodeStatement.of("INSERT"), false);
    answer();
  }

  private List<String> asked() {
    String question = ": " + TransactionClock.ASK.sql();
    return log.stream()
        .filter(line -> line.endsWith(question))
        .map(line -> line.substring(0, line.indexOf(':')))
        .toList();
  }

  private String timestamp() {
    return transaction.timestamp().text();
  }

  @Test
  void oneNodeIsNotAsked() throws IOException {
    transactions.openImplicit();
    runOn(2, true);
    runOn(2, true);
    assertEquals(List.of(), asked());
    assertNull(timestamp());
  }

  @Test
  void statementsThatDoNotAskCostNothing() throws IOException {
    transactions.openImplicit();
    runOn(2, false);
    runOn(1, false);
    assertEquals(List.of(), asked());
  }

  @Test
  void theNodeThatHasBegunFirstIsAskedOnce() throws IOException {
    transactions.openImplicit();
    runOn(2, false);
    runOn(1, true);
    runOn(3, true);
    runOn(2, true);
    assertEquals(List.of("2"), asked());
    assertEquals("71", timestamp());
  }

  @Test
  void whereSeveralBeginAtOnceItIsTheRouters() throws IOException {
    transactions.openImplicit();
    transactions.shareClock(statement(true));
    runOn(1, true);
    runOn(2, true);
    assertEquals(List.of(), asked());
    String unixEpoch = "-946684800000000";
    assertEquals(unixEpoch, timestamp());
  }

  @Test
  void theNextTransactionHasAnother() throws IOException {
    transactions.openImplicit();
    runOn(2, true);
    runOn(1, true);
    transaction.end();
    assertNull(timestamp());
    assertNull(transaction.timestamp().first());
  }

  @Test
  void afterGoingBackToASavepointNobodyCountsAsTold() throws IOException {
    transactions.openImplicit();
    runOn(2, true);
    runOn(1, true);
    Backend told = backends.backend(catalog, 1);
    assertEquals(true, transaction.timestamp().isKnownBy(told));
    transaction.savepoint("a", NodeStatement.of("SAVEPOINT a"));
    transaction.rollbackTo("a");
    assertEquals(false, transaction.timestamp().isKnownBy(told));
    assertEquals("71", timestamp());
  }
}
