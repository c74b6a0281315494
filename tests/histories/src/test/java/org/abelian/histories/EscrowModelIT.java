package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.escrow.EscrowModel;
import org.abelian.histories.escrow.EscrowModel.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One thread leads several transactions on one stock, so that it is known at every step what each
 * of them was at and how it may end: an operation is done exactly if it keeps the bounds beside all
 * of that, refused exactly if it does beside nothing, and waits otherwise.
 */
@WithNode(settings = {"abelian.fold_interval=5ms", "abelian.fold_after=1ms"})
class EscrowModelIT {
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int TRANSACTIONS = 4;
  private static final int STEPS = Integer.getInteger("abelian.soak.steps", 400);
  private static final long FLOOR = 0;
  private static final long CEILING = 20;
  private static final String COUNTER = "abelian.bounded_counter(0, 20)";
  private static final String DECIMAL =
      "abelian.bounded_decimal(2) CHECK (n BETWEEN -0.001 AND 20.004)";

  private final LocalNode node;

  EscrowModelIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @ValueSource(strings = {COUNTER, DECIMAL})
  void anOperationIsDoneOrRefusedOrWaitsAsTheEndsOfTheOthersDemand(String type) throws Exception {
    compare(type, STEPS, false);
  }

  /** The same where a condition asks for what the bounds demand: no row instead of an error. */
  @ParameterizedTest
  @ValueSource(strings = {COUNTER, DECIMAL})
  void aConditionIsDecidedAsTheEndsOfTheOthersDemand(String type) throws Exception {
    compare(type, STEPS, true);
  }

  /** What the test above would miss, it could not prove. */
  @Test
  void aSumWithoutEscrowIsNoticed() {
    assertThrows(
        AssertionError.class, () -> compare("abelian.counter", STEPS, false), "seed " + SEED);
  }

  private void compare(String type, int steps, boolean asks) throws Exception {
    Random random = new Random(SEED);
    EscrowModel model = new EscrowModel(10, FLOOR, CEILING);
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i <= TRANSACTIONS; i++) {
        connections.add(node.connect());
      }
      Statement outside = connections.get(TRANSACTIONS).createStatement();
      outside.execute("DROP TABLE IF EXISTS stock");
      outside.execute("CREATE TABLE stock (id int PRIMARY KEY, n " + type + ")");
      outside.execute("INSERT INTO stock VALUES (1, 10)");
      List<Statement> statements = new ArrayList<>();
      for (int i = 0; i < TRANSACTIONS; i++) {
        Statement statement = connections.get(i).createStatement();
        statement.execute("SET abelian.split = always");
        statements.add(statement);
        begin(statement, model, i);
      }
      for (int step = 0; step < steps; step++) {
        int who = random.nextInt(TRANSACTIONS);
        switch (random.nextInt(8)) {
          case 0 -> end(statements.get(who), model, who, random, step);
          case 1 -> {
            if (model.hasSavepoint(who)) {
              back(statements.get(who), model, who);
            }
          }
          default -> operate(statements.get(who), model, who, random, step, asks);
        }
        assertEquals(model.committed(), number(outside), "step " + step + ", seed " + SEED);
      }
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static long delta(Random random) {
    return (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(8));
  }

  private static void begin(Statement statement, EscrowModel model, int who) throws SQLException {
    statement.execute("BEGIN");
    model.begin(who);
  }

  private static void end(Statement statement, EscrowModel model, int who, Random random, int step)
      throws SQLException {
    boolean commit = random.nextBoolean();
    String command = commit ? "COMMIT" : "ROLLBACK";
    if (random.nextInt(3) == 0) {
      String gid = "model_" + step;
      statement.execute("PREPARE TRANSACTION '" + gid + "'");
      statement.execute(command + " PREPARED '" + gid + "'");
    } else {
      statement.execute(command);
    }
    model.end(who, commit);
    begin(statement, model, who);
  }

  private static void back(Statement statement, EscrowModel model, int who) throws SQLException {
    statement.execute("ROLLBACK TO SAVEPOINT s");
    statement.execute("RELEASE SAVEPOINT s");
    model.back(who);
  }

  /** An operation after a savepoint of its own, or one in the subtransaction of the last. */
  private static void operate(
      Statement statement, EscrowModel model, int who, Random random, int step, boolean asks)
      throws SQLException {
    long delta = delta(random);
    Verdict expected = model.judge(who, delta);
    // What need not wait for another session may have to wait for the folding worker, which goes on
    // by itself: there, patience tells the two apart.
    // Who has operated may have to wait for the value before he is told that there is not enough.
    boolean toldAlone = asks && expected == Verdict.NEVER && model.hasOperated(who);
    String patience = expected == Verdict.WAITS || toldAlone ? "30ms" : "20s";
    statement.execute("SET LOCAL lock_timeout = '" + patience + "'");
    if (!model.hasSavepoint(who) || random.nextBoolean()) {
      statement.execute("SAVEPOINT s");
      model.savepoint(who);
    }
    Verdict seen = asks ? ask(statement, delta) : attempt(statement, delta);
    if (!toldAlone || seen != Verdict.WAITS) {
      assertEquals(expected, seen, "step " + step + ", seed " + SEED);
    }
    if (seen == Verdict.FITS) {
      model.operate(who, delta);
    } else {
      back(statement, model, who);
    }
  }

  private static Verdict attempt(Statement statement, long delta) throws SQLException {
    try {
      statement.executeUpdate("UPDATE stock SET n = n + (" + delta + ")");
      return Verdict.FITS;
    } catch (SQLException e) {
      return switch (e.getSQLState()) {
        case "23514" -> Verdict.NEVER;
        case "55P03" -> Verdict.WAITS;
        default -> throw e;
      };
    }
  }

  private static Verdict ask(Statement statement, long delta) throws SQLException {
    String condition = delta < 0 ? "n >= " + -delta : "n + " + delta + " <= 20";
    try {
      int rows =
          statement.executeUpdate(
              "UPDATE stock SET n = n + (" + delta + ") WHERE id = 1 AND " + condition);
      return rows == 1 ? Verdict.FITS : Verdict.NEVER;
    } catch (SQLException e) {
      if ("55P03".equals(e.getSQLState())) {
        return Verdict.WAITS;
      }
      throw e;
    }
  }

  private static long number(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT n FROM stock")) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
