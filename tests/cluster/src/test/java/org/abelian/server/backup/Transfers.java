package org.abelian.server.backup;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;

/**
 * Amounts that are moved between rows on different nodes, by one thread for each class of commit.
 * The sum over all rows of a class stays 0; a backup that has a part of a transaction shows
 * another.
 */
final class Transfers implements AutoCloseable {
  private static final int ROWS = 24;
  private static final Set<String> TRIED_AGAIN = Set.of("40001", "40P01", "55P03");

  /** A class of commit, and a transaction of it that moves an amount. */
  enum Kind {
    COORDINATED("bigint") {
      @Override
      String statements(int from, int to, int amount) {
        return update(from, -amount) + update(to, amount);
      }
    },
    COMMUTING("abelian.counter") {
      @Override
      String statements(int from, int to, int amount) {
        return update(from, -amount) + update(to, amount);
      }
    },
    INDEPENDENT("bigint") {
      @Override
      String statements(int from, int to, int amount) {
        return "CALL move(" + from + ", " + to + ", " + amount + ")";
      }
    };

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    String table() {
      return "moved_" + name().toLowerCase();
    }

    String update(int row, int amount) {
      return "UPDATE " + table() + " SET v = v + (" + amount + ") WHERE id = " + row + ";";
    }

    abstract String statements(int from, int to, int amount);

    /** Runs one. */
    void move(Connection connection, int from, int to, int amount) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        if (this == INDEPENDENT) {
          statement.execute(statements(from, to, amount));
          return;
        }
        statement.execute("BEGIN");
        for (String each : statements(from, to, amount).split(";")) {
          statement.execute(each);
        }
        statement.execute("COMMIT");
      }
    }
  }

  private final String url;
  private final Random random;
  private final Map<Integer, List<Integer>> rowsOfNodes = new TreeMap<>();
  private final Map<Kind, AtomicLong> committed = new TreeMap<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /** Finds where rows are. */
  Transfers(LocalCluster cluster, String database, long seed) throws SQLException {
    this.url = Databases.url(cluster, database);
    this.random = new Random(seed);
    for (int node = 0; node < cluster.nodes().size(); node++) {
      try (Connection direct = Databases.connect(cluster.node(node), database);
          Statement statement = direct.createStatement();
          ResultSet rows = statement.executeQuery("SELECT id FROM moved_coordinated")) {
        while (rows.next()) {
          rowsOfNodes.computeIfAbsent(node, any -> new ArrayList<>()).add(rows.getInt(1));
        }
      }
    }
  }

  /** Makes the tables and the procedure. */
  static void create(String url) throws SQLException {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      for (Kind kind : Kind.values()) {
        statement.execute(
            "CREATE TABLE " + kind.table() + " (id int PRIMARY KEY, v " + kind.type + ")");
        statement.execute("SELECT create_distributed_table('" + kind.table() + "', 'id')");
        for (int row = 1; row <= ROWS; row++) {
          statement.execute("INSERT INTO " + kind.table() + " VALUES (" + row + ", 0)");
        }
      }
      statement.execute(
          "CREATE PROCEDURE move(a int, b int, n int) LANGUAGE sql BEGIN ATOMIC"
              + " UPDATE moved_independent SET v = v - n WHERE id = a;"
              + " UPDATE moved_independent SET v = v + n WHERE id = b; END");
      statement.execute(
          "CALL create_distributed_procedure('move(int, int, int)', 'a, b', 'moved_independent',"
              + " class => 'independent', unsafe => true)");
    }
  }

  /** Begins, a thread for each kind. */
  void start() {
    for (Kind kind : Kind.values()) {
      committed.put(kind, new AtomicLong());
      long seed = random.nextLong();
      Thread thread = new Thread(() -> run(kind, new Random(seed)), "transfers " + kind);
      threads.add(thread);
      thread.start();
    }
  }

  private int rowOf(int node, Random choice) {
    List<Integer> rows = rowsOfNodes.get(node);
    return rows.get(choice.nextInt(rows.size()));
  }

  private void run(Kind kind, Random choice) {
    try (Connection connection = connect(url)) {
      while (!stopped) {
        int from = choice.nextInt(rowsOfNodes.size());
        int to = (from + 1 + choice.nextInt(rowsOfNodes.size() - 1)) % rowsOfNodes.size();
        try {
          kind.move(
              connection, rowOf(from, choice), rowOf(to, choice), 1 + choice.nextInt(1_000_000));
          committed.get(kind).incrementAndGet();
        } catch (SQLException failed) {
          if (!TRIED_AGAIN.contains(failed.getSQLState())) {
            throw failed;
          }
          try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
          }
        }
      }
    } catch (SQLException | RuntimeException failed) {
      failures.add(failed);
    }
  }

  /** Waits until each kind has committed so many more. */
  void awaitMore(int count) throws InterruptedException {
    for (Kind kind : Kind.values()) {
      long until = committed.get(kind).get() + count;
      for (int i = 0; i < 3_000 && committed.get(kind).get() < until && failures.isEmpty(); i++) {
        Thread.sleep(10);
      }
      if (committed.get(kind).get() < until) {
        throw new AssertionError(kind + " stands still: " + failures);
      }
    }
  }

  /** What went wrong. */
  List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** The classes of commit that the router gives one transfer of each kind. */
  Map<Kind, String> classes(String someUrl) throws SQLException {
    Map<Kind, String> classes = new TreeMap<>();
    try (Connection connection = connect(someUrl)) {
      for (Kind kind : Kind.values()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("SET abelian.commit_notice = on");
          int from = rowsOfNodes.get(0).get(0);
          int to = rowsOfNodes.get(1).get(0);
          if (kind != Kind.INDEPENDENT) {
            statement.execute("BEGIN");
            for (String each : kind.statements(from, to, 1).split(";")) {
              statement.execute(each);
            }
          }
          statement.execute(kind == Kind.INDEPENDENT ? kind.statements(from, to, 1) : "COMMIT");
          SQLWarning warning = statement.getWarnings();
          classes.put(kind, warning == null ? "nothing" : warning.getMessage().split("[:;]")[0]);
        }
      }
    }
    return classes;
  }

  /** The sums over all nodes. */
  static Map<Kind, Long> sums(String url) throws SQLException {
    Map<Kind, Long> sums = new TreeMap<>();
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      for (Kind kind : Kind.values()) {
        try (ResultSet rows =
            statement.executeQuery("SELECT sum(v::bigint) FROM " + kind.table())) {
          rows.next();
          sums.put(kind, rows.getLong(1));
        }
      }
    }
    return sums;
  }

  private static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url, LocalNode.USER, LocalNode.USER);
  }

  /** Waits until all have ended. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join(60_000);
    }
  }

  @Override
  public void close() {
    stopped = true;
  }
}
