package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The queries of TPC-H, and those of CH-benCHmark over TPC-C's tables, give what one PostgreSQL
 * gives; rows that ORDER BY leaves equal may come in another order.
 */
@WithNode
@WithCluster
class AnalyticalQueriesIT {
  private static final int QUERIES = 22;

  private final LocalNode single;
  private final RouterServer router;

  AnalyticalQueriesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  @ParameterizedTest
  @ValueSource(strings = {"tpch", "ch"})
  void allQueriesRunAndAgree(String benchmark) throws SQLException, IOException {
    try (Twins twins = new Twins(single, router, "")) {
      twins.both().forEach(connection -> Twins.answer(connection, "DROP SCHEMA " + benchmark));
      twins.same("CREATE SCHEMA " + benchmark);
      twins.same("SET search_path = " + benchmark);
      create(twins, read(benchmark + "-tables.sql"));
      List<String> queries = List.of(read(benchmark + "-queries.sql").split("-- Q\\d+\n"));
      assertEquals(QUERIES, queries.size() - 1);
      List<String> differing = new ArrayList<>();
      for (int number = 1; number <= QUERIES; number++) {
        String query = queries.get(number);
        List<String> expected = sorted(Twins.run(twins.both().get(0), query));
        List<String> found = sorted(Twins.answer(twins.routed(), query));
        assertFalse(expected.isEmpty(), "Q" + number + " finds nothing");
        if (!expected.equals(found)) {
          differing.add("Q" + number + ": " + expected.size() + " rows; " + found);
        }
      }
      assertEquals(List.of(), differing);
      twins.same("DROP SCHEMA " + benchmark + " CASCADE");
    }
  }

  /** Runs the parts of the file: on both, by the router alone, on both. */
  private static void create(Twins twins, String file) throws SQLException {
    String[] parts = file.split("-- placed\n|-- rows\n");
    for (String sql : statements(parts[0])) {
      twins.same(sql);
    }
    for (String sql : statements(parts[1])) {
      Twins.run(twins.routed(), sql);
    }
    for (String sql : statements(parts[2])) {
      twins.same(sql);
    }
  }

  private static List<String> statements(String part) {
    List<String> statements = new ArrayList<>();
    for (String sql : part.split(";\n")) {
      if (!sql.isBlank()) {
        statements.add(sql);
      }
    }
    return statements;
  }

  private static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }

  private static String read(String name) throws IOException {
    try (InputStream in = AnalyticalQueriesIT.class.getResourceAsStream("/analytical/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
