package org.abelian.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;

/**
 * The same tables on a bare node and, distributed, behind a router, and the comparison of what both
 * say.
 */
final class ParityFixture {
  private static final List<String> SCHEMA =
      List.of(
          "DROP TABLE IF EXISTS account, entry, kind, scratch, moment",
          "CREATE TABLE account (id int PRIMARY KEY, owner text NOT NULL, balance numeric(12,2)"
              + " CHECK (balance >= 0), hits abelian.counter DEFAULT 0, born date)",
          "CREATE TABLE entry (account int, n int, kind text, amount numeric(12,2), at timestamp,"
              + " PRIMARY KEY (account, n))",
          "CREATE TABLE kind (name text PRIMARY KEY, meaning text)",
          "CREATE TABLE scratch (name text PRIMARY KEY, meaning text)",
          "CREATE TABLE moment (day date PRIMARY KEY, n int)",
          "CREATE OR REPLACE FUNCTION shout(word text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$"
              + " BEGIN RAISE NOTICE 'hello %', word USING HINT = 'a hint', DETAIL = 'more'; RETURN"
              + " 1; END $$",
          "CREATE OR REPLACE FUNCTION fail(x int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$"
              + " BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'AB999', HINT = 'a hint', COLUMN = 'a"
              + " column'; END $$");

  private static final List<String> PLACEMENT =
      List.of(
          "SELECT create_distributed_table('account', 'id')",
          "SELECT create_distributed_table('entry', 'account', colocate_with => 'account')",
          "SELECT create_distributed_table('moment', 'day')",
          "SELECT create_reference_table('kind')");

  private static final int ACCOUNTS = 20;

  /** So that a hang is a failure. */
  private static final int NETWORK_TIMEOUT_MILLIS = 60_000;

  private static final Set<Character> SOURCE_FIELDS = Set.of('F', 'L', 'R');

  private ParityFixture() {}

  /** Creates and fills the tables on the node and through the router. */
  static void create(LocalNode node, RouterServer router) throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      bare.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
      routed.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
      for (Connection connection : List.of(bare, routed)) {
        try (Statement statement = connection.createStatement()) {
          for (String sql : SCHEMA) {
            statement.execute(sql);
          }
          if (connection == routed) {
            for (String sql : PLACEMENT) {
              statement.execute(sql);
            }
          }
          fill(statement);
        }
      }
    }
  }

  private static void fill(Statement statement) throws SQLException {
    for (int i = 1; i <= ACCOUNTS; i++) {
      statement.execute(
          "INSERT INTO account VALUES (%d, 'owner %d', %d, %d, date '2000-01-01' + %d)"
              .formatted(i, i % 7, 10 * i, i % 3, i));
      statement.execute(
          ("INSERT INTO entry VALUES (%1$d, 1, 'in', %1$d.5, timestamp '2020-01-01' + %1$d *"
                  + " interval '1 hour'), (%1$d, 2, 'out', NULL, NULL)")
              .formatted(i));
    }
    statement.execute("INSERT INTO kind VALUES ('in', 'paid in'), ('out', 'paid out')");
  }

  static WireClient wire(int port) throws IOException {
    return WireClient.connect(port, LocalNode.USER, LocalNode.USER, LocalNode.DATABASE);
  }

  /** What a simple query is answered; see {@link #answers}. */
  static List<String> ask(WireClient client, String sql) throws IOException {
    return answers(client.query(sql).untilReady());
  }

  /** Rows sorted, tags, the state of the transaction, and the SQLSTATE of an error. */
  static List<String> answers(List<Message> messages) {
    List<String> rows = new ArrayList<>();
    List<String> rest = new ArrayList<>();
    for (Message message : messages) {
      switch (message.type()) {
        case 'D' -> rows.add(Arrays.toString(message.values()));
        case 'C', 'Z' -> rest.add(message.toString());
        case 'E' -> rest.add("E " + message.sqlState());
        default -> {}
      }
    }
    rows.sort(null);
    rows.addAll(rest);
    return rows;
  }

  /**
   * Messages without what may rightly differ: table identifiers, reports of settings, and the place
   * in PostgreSQL's source, which an error that the router itself gives does not have.
   */
  static List<String> comparable(List<Message> messages) {
    List<String> lines = new ArrayList<>();
    for (Message message : messages) {
      if (message.type() == 'T') {
        lines.add(columns(message));
      } else if (message.type() == 'E' || message.type() == 'N') {
        Map<Character, String> fields = message.fields();
        fields.keySet().removeAll(SOURCE_FIELDS);
        lines.add(message.type() + " " + fields);
      } else if (message.type() != 'S') {
        lines.add(message.toString());
      }
    }
    return lines;
  }

  private static String columns(Message description) {
    ByteBuffer in = ByteBuffer.wrap(description.body());
    StringBuilder line = new StringBuilder("T");
    int count = in.getShort();
    for (int i = 0; i < count; i++) {
      int start = in.position();
      while (in.get() != 0) {
        // Up to the terminator.
      }
      String name =
          new String(in.array(), start, in.position() - start - 1, StandardCharsets.UTF_8);
      in.getInt();
      in.getShort();
      line.append(
          " %s(%d %d %d %d)"
              .formatted(name, in.getInt(), in.getShort(), in.getInt(), in.getShort()));
    }
    return line.toString();
  }
}
