package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Decrements under a condition on the value, through the router: each is told whether there was
 * enough, and those that fit pass each other.
 */
@WithCluster
class ConditionalDecrementIT {
  private static final String TAKE =
      "UPDATE product SET stock = stock - %1$d WHERE id = %2$d AND stock >= %1$d";
  private static final int PRODUCTS = 30;
  private static final int STOCK = 5;

  /** A way into the cluster. */
  enum Face {
    SERVER,
    DRIVER
  }

  private final LocalCluster cluster;
  private final RouterServer router;
  private int[] ids;

  ConditionalDecrementIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    try (Connection owner = cluster.connect();
        Statement statement = owner.createStatement()) {
      statement.execute(
          "CREATE TABLE product (id int PRIMARY KEY, stock abelian.bounded_counter(0))");
      statement.execute("SELECT create_distributed_table('product', 'id')");
      for (int id = 1; id <= PRODUCTS; id++) {
        statement.execute("INSERT INTO product VALUES (" + id + ", " + STOCK + ")");
      }
    }
    ids = new int[2];
    for (int node = 0; node < ids.length; node++) {
      ids[node] =
          (int) ProxiedCluster.number(cluster.nodes().get(node), "SELECT min(id) FROM product");
    }
  }

  @AfterEach
  void drop() throws SQLException {
    try (Connection owner = cluster.connect();
        Statement statement = owner.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS product CASCADE");
    }
  }

  private Connection connect(Face face) throws SQLException {
    return face == Face.SERVER ? router.connect() : cluster.connect();
  }

  private static int take(Statement statement, int id, int amount) throws SQLException {
    return statement.executeUpdate(TAKE.formatted(amount, id));
  }

  private long stock(int id) throws SQLException {
    try (Connection reader = cluster.connect();
        Statement statement = reader.createStatement();
        ResultSet row = statement.executeQuery("SELECT stock FROM product WHERE id = " + id)) {
      row.next();
      return row.getLong(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatFitsPassesAndWhatCannotFitIsToldAtOnce(Face face) throws SQLException {
    try (Connection one = connect(face);
        Connection other = connect(face);
        Statement first = one.createStatement();
        Statement second = other.createStatement()) {
      second.execute("SET lock_timeout = '10s'");
      first.execute("BEGIN");
      assertEquals(1, take(first, ids[0], 3));
      assertEquals(1, take(second, ids[0], 2));
      assertEquals(0, take(second, ids[0], 6));
      first.execute("COMMIT");
      assertEquals(0, take(second, ids[0], 1));
    }
    assertEquals(0, stock(ids[0]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"extended", "simple", "extendedForPrepared"})
  void parametersOfEachProtocolDecideAlike(String mode) throws SQLException {
    String url = cluster.driverUrl() + "?preferQueryMode=" + mode;
    String text = "UPDATE product SET stock = stock - ? WHERE id = ? AND stock >= ? RETURNING id";
    try (Connection connection = DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
        PreparedStatement ints = connection.prepareStatement(text);
        PreparedStatement longs = connection.prepareStatement(text)) {
      for (int i = 0; i < 2 * STOCK; i++) { // from some execution on, pgjdbc prepares it
        PreparedStatement one = i % 2 == 0 ? ints : longs;
        if (i % 2 == 0) {
          one.setInt(1, 1);
          one.setInt(3, 1);
        } else {
          one.setLong(1, 1);
          one.setLong(3, 1);
        }
        one.setInt(2, ids[1]);
        try (ResultSet rows = one.executeQuery()) {
          assertEquals(i < STOCK, rows.next(), "the " + i + "th");
        }
      }
    }
    assertEquals(0, stock(ids[1]));
  }

  @Test
  void onSeveralNodesItCommitsByTwoPhasesAndTakesFromBothOrNone() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET abelian.commit_notice = on");
      statement.execute("BEGIN");
      assertEquals(1, take(statement, ids[0], 3));
      assertEquals(1, take(statement, ids[1], 3));
      statement.execute("COMMIT");
      String told = statement.getWarnings().getMessage();
      assertTrue(told.startsWith("commit class coordinated"), told);
      statement.execute("BEGIN");
      assertEquals(1, take(statement, ids[0], 2));
      assertEquals(0, take(statement, ids[1], 3));
      statement.execute("ROLLBACK");
    }
    assertEquals(2, stock(ids[0]));
    assertEquals(2, stock(ids[1]));
  }

  @Test
  void aDistributedProcedureLearnsThatThereIsNotEnough() throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE OR REPLACE PROCEDURE sell(a int, b int, amount int) LANGUAGE plpgsql AS $$ BEGIN"
              + " IF abelian.is_local('product', a) THEN UPDATE product SET stock = stock - amount"
              + " WHERE id = a AND stock >= amount; IF NOT FOUND THEN RAISE 'sold out'; END IF;"
              + " END IF; IF abelian.is_local('product', b) THEN UPDATE product SET stock = stock -"
              + " amount WHERE id = b AND stock >= amount; IF NOT FOUND THEN RAISE 'sold out'; END"
              + " IF; END IF; END $$");
      statement.execute(
          "CALL create_distributed_procedure('sell(int, int, int)', 'a, b', 'product')");
      statement.execute("CALL sell(" + ids[0] + ", " + ids[1] + ", 3)");
      assertEquals(1, take(statement, ids[0], 1));
      SQLException refused =
          assertThrows(
              SQLException.class,
              () -> statement.execute("CALL sell(" + ids[0] + ", " + ids[1] + ", 2)"));
      assertTrue(refused.getMessage().contains("sold out"), refused.getMessage());
    }
    assertEquals(1, stock(ids[0]));
    assertEquals(2, stock(ids[1]));
  }

  @ParameterizedTest
  @EnumSource
  void manySessionsGetWhatIsThereAndNoMore(Face face) throws Exception {
    int clients = 16;
    ExecutorService pool = Executors.newFixedThreadPool(clients);
    try (Connection owner = cluster.connect();
        Statement statement = owner.createStatement()) {
      statement.execute("UPDATE product SET stock = 100 WHERE id = " + ids[0]);
      List<Future<Integer>> answers = new ArrayList<>();
      for (int client = 0; client < clients; client++) {
        answers.add(pool.submit(() -> buy(face)));
      }
      int bought = 0;
      for (Future<Integer> answer : answers) {
        bought += answer.get();
      }
      assertEquals(100, bought);
    } finally {
      pool.shutdownNow();
    }
    assertEquals(0, stock(ids[0]));
  }

  /** Takes one after the other until there is none. */
  private int buy(Face face) throws SQLException {
    try (Connection connection = connect(face);
        Statement statement = connection.createStatement()) {
      int bought = 0;
      while (take(statement, ids[0], 1) == 1) {
        bought++;
      }
      return bought;
    }
  }
}
