package org.abelian.workloads.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A client on a connection that fails as it is told. */
class ClientTest {
  private static final long NEVER = Long.MAX_VALUE;

  private final Deque<String> errors = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final Tally tally = new Tally();
  private int committed;

  private Client client(Mode mode) throws SQLException {
    Script script =
        () ->
            new Transaction(
                "pair",
                session -> {
                  session.updateOne("one");
                  session.updateOne("two");
                },
                () -> committed++);
    Session session = new Session(connection(), mode, Duration.ZERO);
    Client client = new Client(session, script, Pace.UNLIMITED, tally, new SplittableRandom(1));
    client.begin();
    done.clear();
    return client;
  }

  private Connection connection() {
    return fake(
        Connection.class,
        (method, arguments) -> {
          if (method.equals("prepareStatement")) {
            return statement((String) arguments[0]);
          }
          done.add(method);
          return null;
        });
  }

  private PreparedStatement statement(String sql) {
    return fake(
        PreparedStatement.class,
        (method, arguments) -> {
          done.add(sql);
          String error = errors.isEmpty() ? "" : errors.poll();
          if (!error.isEmpty()) {
            throw new SQLException("told to", error);
          }
          return 1;
        });
  }

  /** What a fake does. */
  private interface Answer {
    Object to(String method, Object[] arguments) throws SQLException;
  }

  private static <T> T fake(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.to(method.getName(), arguments)));
  }

  @Test
  void whatAConflictRolledBackIsTriedAgainFromItsBeginning() throws SQLException {
    errors.addAll(List.of("", "40001", "40P01"));
    assertTrue(client(Mode.SERIALIZABLE).once(NEVER));
    assertEquals(
        List.of("one", "two", "rollback", "one", "rollback", "one", "two", "commit"), done);
    assertEquals(Map.of("pair", 1L), tally.completed());
    assertEquals(2, tally.retries());
    assertEquals(1, committed);
  }

  @Test
  void withoutTransactionsOnlyTheStatementIsTriedAgain() throws SQLException {
    errors.addAll(List.of("", "40P01"));
    assertTrue(client(Mode.AUTOCOMMIT).once(NEVER));
    assertEquals(List.of("one", "two", "two"), done);
    assertEquals(1, tally.retries());
  }

  @Test
  void anotherErrorIsAFailureAndNotTriedAgain() throws SQLException {
    errors.add("23505");
    Client client = client(Mode.READ_COMMITTED);
    assertFalse(client.once(NEVER));
    assertEquals(List.of("one", "rollback"), done);
    assertEquals(Map.of("23505", 1L), tally.failed());
    assertEquals(1, client.failures());
    assertEquals(0, committed);
  }

  @Test
  void whatIsStillTriedWhenTheTimeIsOverIsGivenUp() throws SQLException {
    errors.add("40001");
    assertFalse(client(Mode.READ_COMMITTED).once(System.nanoTime() - 1));
    assertEquals(List.of("one", "rollback"), done);
    assertEquals(Map.of("40001", 1L), tally.failed());
  }

  @Test
  void aLostConnectionEndsTheMeasurement() throws SQLException {
    errors.add("08006");
    Client client = client(Mode.READ_COMMITTED);
    assertThrows(SQLException.class, () -> client.once(NEVER));
  }

  @Test
  void onlySerializableTransactionsAskForIsolation() throws SQLException {
    List<String> begun = new ArrayList<>();
    for (Mode mode : Mode.values()) {
      done.clear();
      try (Session session = new Session(connection(), mode, Duration.ZERO)) {
        assertEquals(mode != Mode.AUTOCOMMIT, session.hasTransactions());
        assertEquals(mode == Mode.PROCEDURE, session.callsProcedures());
        begun.add(mode + ": " + done);
      }
    }
    assertEquals(
        List.of(
            "READ_COMMITTED: [setAutoCommit]",
            "SERIALIZABLE: [setTransactionIsolation, setAutoCommit]",
            "PROCEDURE: [setAutoCommit]",
            "AUTOCOMMIT: [setAutoCommit]"),
        begun);
  }
}
