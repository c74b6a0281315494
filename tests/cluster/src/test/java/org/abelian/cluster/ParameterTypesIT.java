package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client sends values of the types that it was told when it parsed a statement: they stay, also
 * when others change the columns that the types were inferred from.
 */
@WithNode
@WithCluster
class ParameterTypesIT {
  private static final Map<String, String> STATEMENTS =
      new TreeMap<>(
          Map.of(
              "insert", "INSERT INTO reading VALUES ($1, $2)",
              "update", "UPDATE reading SET v = $2 WHERE id = $1",
              "read", "SELECT id FROM reading WHERE v = $1 AND id = $2",
              "S_1", "UPDATE reading SET v = $2 WHERE v = $1"));

  private final LocalNode node;
  private final RouterServer router;

  ParameterTypesIT(LocalNode node, RouterServer router) {
    this.node = node;
    this.router = router;
  }

  private void create(String type) throws SQLException {
    try (Connection bare = node.connect();
        Connection routed = router.connect()) {
      for (Connection connection : List.of(bare, routed)) {
        run(connection, "DROP TABLE IF EXISTS reading");
        run(connection, "CREATE TABLE reading (id int PRIMARY KEY, v %s)".formatted(type));
      }
      run(routed, "SELECT create_distributed_table('reading', 'id')");
      for (Connection connection : List.of(bare, routed)) {
        run(connection, "INSERT INTO reading SELECT g, g FROM generate_series(1, 5) g");
      }
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** PostgreSQL refuses 4.6 for a parameter of type bigint, whatever the column is by now. */
  @ParameterizedTest
  @ValueSource(strings = {"double precision", "numeric(9,1)"})
  void stayWhenAnotherSessionChangesTheColumns(String type) throws Exception {
    create("bigint");
    List<List<String>> both = new ArrayList<>();
    for (int port : List.of(node.port(), router.port())) {
      List<String> answers = new ArrayList<>();
      try (WireClient client = ParityFixture.wire(port);
          WireClient other = ParityFixture.wire(port)) {
        for (Map.Entry<String, String> statement : STATEMENTS.entrySet()) {
          client.parse(statement.getKey(), statement.getValue());
          client.describe('S', statement.getKey());
        }
        client.sync().untilReady();
        ParityFixture.ask(other, "ALTER TABLE reading ALTER v TYPE " + type);
        for (int round = 0; round < 2; round++) {
          for (String value : List.of("3", "4.6")) {
            String id = value.equals("3") ? 3 + round + "1" : "9";
            answers.addAll(bound(client, "insert", id, value));
            answers.addAll(bound(client, "update", "1", value));
            answers.addAll(bound(client, "read", value, "1"));
            answers.addAll(bound(client, "S_1", value, "7"));
          }
        }
        for (String name : STATEMENTS.keySet()) {
          answers.addAll(types(client, name));
        }
        answers.addAll(ParityFixture.ask(client, "SELECT * FROM reading"));
      }
      both.add(answers);
    }
    assertEquals(both.get(0), both.get(1));
  }

  private static List<String> bound(WireClient client, String name, String... values)
      throws IOException {
    client.bind("", name, 0, values).execute("", 0);
    return ParityFixture.answers(client.sync().untilReady());
  }

  private static List<String> types(WireClient client, String name) throws IOException {
    return client.describe('S', name).sync().untilReady().stream()
        .filter(message -> message.type() == 't')
        .map(Object::toString)
        .toList();
  }

  /** One that is parsed afterwards has the new ones. */
  @Test
  void areInferredAnewForANewStatement() throws Exception {
    create("bigint");
    for (int port : List.of(node.port(), router.port())) {
      try (WireClient client = ParityFixture.wire(port)) {
        client.parse("old", STATEMENTS.get("update"));
        client.sync().untilReady();
        ParityFixture.ask(client, "ALTER TABLE reading ALTER v TYPE double precision");
        assertEquals(List.of("E 22P02", "Z I"), bound(client, "old", "1", "4.6"));
        client.parse("new", STATEMENTS.get("update"));
        assertEquals(List.of("C UPDATE 1", "Z I"), bound(client, "new", "1", "4.6"));
        assertEquals(List.of("E 22P02", "Z I"), bound(client, "old", "1", "4.6"));
      }
    }
  }
}
