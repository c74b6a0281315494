package org.abelian.cluster.statements;

import static org.abelian.cluster.statements.Twins.run;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a session has drawn from sequences it is told as by one PostgreSQL, wherever its statements
 * ran; and what restores set, all nodes go on from.
 */
@WithNode
@WithCluster
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SessionNumbersIT {
  private static final String DROP =
      "DROP TABLE IF EXISTS parent, child, plain, divided, code CASCADE";

  private final LocalNode single;
  private final LocalCluster cluster;
  private final RouterServer router;
  private Twins twins;

  SessionNumbersIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.cluster = cluster;
    this.router = router;
  }

  @BeforeEach
  void create() throws SQLException {
    connect("");
  }

  private void connect(String options) throws SQLException {
    if (twins != null) {
      twins.close();
    }
    twins = new Twins(single, router, options);
    both(DROP);
    both("CREATE TABLE parent (id serial PRIMARY KEY, name text)");
    both("CREATE TABLE child (parent int, n int, PRIMARY KEY (parent, n))");
    both("CREATE TABLE plain (id serial PRIMARY KEY, name text)");
    both("CREATE TABLE divided (tenant int, id serial, PRIMARY KEY (tenant, id))");
    both("CREATE TABLE code (id serial PRIMARY KEY, name text, at timestamptz, day date)");
    run(twins.routed(), "SELECT create_distributed_table('parent', 'id')");
    run(twins.routed(), "SELECT create_distributed_table('child', 'parent')");
    run(twins.routed(), "SELECT create_distributed_table('divided', 'tenant')");
    run(twins.routed(), "SELECT create_reference_table('code')");
  }

  @AfterEach
  void close() throws SQLException {
    both(DROP);
    twins.close();
  }

  private void both(String sql) {
    twins.same(sql);
  }

  @ParameterizedTest
  @ValueSource(strings = {"preferQueryMode=simple", "prepareThreshold=-1"})
  void aSessionIsToldWhatItHasDrawn(String options) throws SQLException {
    connect(options);
    both("SELECT currval('parent_id_seq')");
    both("SELECT lastval()");
    both("SELECT currval('nothing')");
    both("INSERT INTO parent (name) VALUES ('a'), ('b')");
    both("SELECT currval('parent_id_seq')");
    both("SELECT currval(pg_get_serial_sequence('parent', 'id')), lastval() + 1");
    both("INSERT INTO child VALUES (currval('parent_id_seq'), 1)");
    both("INSERT INTO child VALUES (currval('parent_id_seq'), lastval()), (lastval() + 5, 7)");
    both("SELECT * FROM child WHERE parent = currval('parent_id_seq') ORDER BY n");
    both("UPDATE parent SET name = 'c' WHERE id = currval('parent_id_seq') RETURNING *");
    both("INSERT INTO plain (name) VALUES ('p')");
    both("SELECT lastval(), currval('plain_id_seq'), currval('parent_id_seq')");
    both("SELECT nextval('plain_id_seq')");
    both("SELECT currval('plain_id_seq')");
    both("INSERT INTO code (name) VALUES ('x')");
    both("SELECT currval('code_id_seq'), lastval()");
    both("BEGIN");
    both("INSERT INTO parent (name) VALUES ('d')");
    both("INSERT INTO child VALUES (currval('parent_id_seq'), 2)");
    both("SELECT currval('parent_id_seq')");
    both("ROLLBACK");
    both("SELECT currval('parent_id_seq')");
    both("SELECT * FROM child ORDER BY 1, 2");
    both("DISCARD SEQUENCES");
    both("SELECT currval('parent_id_seq')");
    both("SELECT lastval()");
    run(twins.routed(), "INSERT INTO divided (tenant) VALUES (5)");
    assertEquals(
        run(twins.routed(), "SELECT id FROM divided"),
        run(twins.routed(), "SELECT currval('divided_id_seq')"));
  }

  @Test
  void aSessionIsToldWhatItsInsertedQueriesHaveDrawn() throws SQLException {
    both("SELECT nextval('plain_id_seq')");
    for (String sql :
        List.of(
            "INSERT INTO parent SELECT nextval('plain_id_seq') + 100, x FROM"
                + " unnest('{a,b}'::text[]) x",
            "INSERT INTO parent SELECT nextval('plain_id_seq') + 100, 'c'",
            "INSERT INTO plain SELECT nextval('plain_id_seq'), name FROM plain LIMIT 1",
            "INSERT INTO code (id, name) SELECT nextval('plain_id_seq'), 'd' FROM parent LIMIT"
                + " 2")) {
      both(sql);
      both("SELECT currval('plain_id_seq'), lastval()");
    }
  }

  @Test
  void noSessionIsToldWhatAnotherHasDrawn() throws SQLException {
    run(twins.routed(), "INSERT INTO parent (name) VALUES ('a')");
    run(twins.routed(), "SELECT nextval('plain_id_seq')");
    for (int other = 0; other < 5; other++) {
      try (Twins others = new Twins(single, router, "")) {
        others.same("SELECT currval('parent_id_seq')");
        others.same("SELECT currval('plain_id_seq')");
        others.same("SELECT lastval()");
      }
    }
  }

  @Test
  void restoredSequencesGoOnAboveTheRows() throws SQLException {
    both("INSERT INTO parent VALUES (40, 'a'), (41, 'b')");
    both("SELECT setval('parent_id_seq', max(id)) FROM parent");
    both("INSERT INTO parent (name) VALUES ('c') RETURNING id");
    both(
        "SELECT setval(pg_get_serial_sequence('parent', 'id'), coalesce(max(id), 0) + 1, false)"
            + " FROM parent");
    both("INSERT INTO parent (name) VALUES ('d') RETURNING id");
    both("SELECT setval('parent_id_seq', (SELECT max(id) + 10 FROM parent))");
    both("INSERT INTO parent (name) VALUES ('e') RETURNING id");
    both("SELECT setval('plain_id_seq', (SELECT count(*) + 100 FROM parent))");
    both("INSERT INTO plain (name) VALUES ('e') RETURNING id");
    for (int tenant = 0; tenant < 30; tenant++) {
      both("INSERT INTO divided VALUES (" + tenant + ", " + tenant * 100 + ")");
    }
    both("SELECT setval('divided_id_seq', max(id)) FROM divided");
    both("SELECT pg_catalog.setval('public.divided_id_seq', 5000, true)");
    both("SELECT setval('divided_id_seq', 0)");
    StringBuilder insert = new StringBuilder("INSERT INTO divided (tenant) VALUES (0)");
    for (int tenant = 1; tenant < 300; tenant++) {
      insert.append(", (").append(tenant).append(')');
    }
    run(twins.routed(), insert.toString());
    assertEquals(
        List.of("300|t|"),
        run(
            twins.routed(),
            "SELECT count(DISTINCT id), min(id) > 5000 FROM divided WHERE id > 5000"));
  }

  @Test
  void copiesOfReferenceTablesGetOneTime() throws SQLException {
    both("INSERT INTO code (name) VALUES ('a'), ('b')");
    both("UPDATE code SET at = now() WHERE name = 'a'");
    both("UPDATE code SET day = current_date, at = now() - interval '1 day' WHERE name = 'b'");
    both("UPDATE code SET name = 'old' WHERE at < now() - interval '1 hour'");
    both("INSERT INTO code VALUES (1, 'c', now()) ON CONFLICT (id) DO UPDATE SET at = now()");
    both("DELETE FROM code WHERE at > now() + interval '1 hour'");
    both("BEGIN");
    both("UPDATE code SET at = now() WHERE name = 'old'");
    both("SELECT count(*) FROM code WHERE at = now()");
    both("COMMIT");
    both(
        "SELECT id, name, day = current_date, at > now() - interval '1 hour' FROM code ORDER BY 1");
    List<List<String>> copies = new ArrayList<>();
    for (LocalNode node : cluster.nodes()) {
      try (Connection direct = node.connectAsSuperuser()) {
        copies.add(run(direct, "SELECT * FROM code ORDER BY id"));
      }
    }
    assertEquals(copies.get(0), copies.get(1));
    assertEquals(copies.get(0), copies.get(2));
  }

  @Test
  void rowsOfSeveralNodesGetNumbersOfOtherSequences() throws SQLException {
    both(
        "INSERT INTO child VALUES (1, nextval('plain_id_seq')), (2, nextval('plain_id_seq')), (3,"
            + " nextval('plain_id_seq')) RETURNING *");
    both("SELECT * FROM child ORDER BY 1");
    both("SELECT currval('plain_id_seq')");
  }
}
