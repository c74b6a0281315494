package org.abelian.cluster.placement;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogParser;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.abelian.router.routing.StatementRouter;

/**
 * Where the router places the rows of one table: its own routing of an INSERT and of a SELECT, over
 * a catalogue in which every partition is a node.
 */
final class RouterPlacement {
  /** As {@link PartitionFunction#UNCOVERED}. */
  static final int UNCOVERED = PartitionFunction.UNCOVERED;

  private final PlacedTable table;
  private final Placement.Distributed placement;
  private final StatementRouter insert;
  private final StatementRouter select;

  private RouterPlacement(
      PlacedTable table,
      Placement.Distributed placement,
      StatementRouter insert,
      StatementRouter select) {
    this.table = table;
    this.placement = placement;
    this.insert = insert;
    this.select = select;
  }

  /** By the catalogue and the analysis of a node. */
  static RouterPlacement of(PlacedTable table, Connection node) throws SQLException {
    return of(table, node, UnaryOperator.identity());
  }

  /** The same with another placement, which does not fit to the nodes'. */
  static RouterPlacement of(
      PlacedTable table, Connection node, UnaryOperator<Placement.Distributed> change)
      throws SQLException {
    Node asked = new Node(1, "seed", 1);
    Catalog real = CatalogParser.parse(value(node, "SELECT abelian.catalog()::text"), asked);
    TableName name = new TableName("public", table.name());
    Placement.Distributed placement =
        change.apply((Placement.Distributed) real.placement(name).orElseThrow());
    Colocation group = placement.colocation();
    int count = group.partitionCount();
    Colocation apart =
        new Colocation(group.id(), IntStream.range(0, count).toArray(), group.function());
    List<Node> nodes = IntStream.range(0, count).mapToObj(id -> new Node(id, "n", id)).toList();
    Map<TableName, Placement> tables = new HashMap<>();
    tables.put(name, new Placement.Distributed(placement.columns(), apart));
    Catalog catalog = new Catalog(real.version(), nodes, tables);
    String parameters =
        IntStream.rangeClosed(1, table.types().size())
            .mapToObj(at -> "$" + at)
            .collect(Collectors.joining(", "));
    String insert =
        "INSERT INTO %s (%s) VALUES (%s)".formatted(table.name(), table.columnList(), parameters);
    String select =
        "SELECT 1 FROM %s WHERE %s"
            .formatted(
                table.name(),
                IntStream.rangeClosed(1, table.types().size())
                    .mapToObj(at -> "k" + at + " = $" + at)
                    .collect(Collectors.joining(" AND ")));
    return new RouterPlacement(
        table,
        placement,
        router(insert, table, node, catalog),
        router(select, table, node, catalog));
  }

  private static StatementRouter router(
      String sql, PlacedTable table, Connection node, Catalog catalog) throws SQLException {
    String types =
        table.types().stream()
            .map(type -> Integer.toString(type.oid()))
            .collect(Collectors.joining(",", "{", "}"));
    try (PreparedStatement analyze =
        node.prepareStatement("SELECT abelian.analyze(?::text, ?::oid[])::text")) {
      analyze.setString(1, sql);
      analyze.setString(2, types);
      try (ResultSet rows = analyze.executeQuery()) {
        rows.next();
        List<StatementFacts> facts = FactsParser.parse(rows.getString(1));
        return Routing.compile(sql, facts.get(0), catalog);
      }
    }
  }

  private static String value(Connection node, String sql) throws SQLException {
    try (PreparedStatement statement = node.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** The partition of an INSERT with that key, or {@link #UNCOVERED}. */
  int partition(boolean binary, String... key) {
    Route route = insert.route(bind(binary, key));
    if (route instanceof Route.OneNode one) {
      int found = ((Route.OneNode) select.route(bind(!binary, key))).node();
      if (found != one.node()) {
        throw new AssertionError(
            "%s: %s is stored in %d and read in %d"
                .formatted(table, List.of(key), one.node(), found));
      }
      return one.node();
    }
    if (route instanceof Route.Refused refused && refused.error().state().code().equals("23514")) {
      return UNCOVERED;
    }
    throw new AssertionError(table + ": " + List.of(key) + ": " + route);
  }

  /** The id of the node of a row with that key. */
  int node(String... key) {
    int partition = partition(false, key);
    return partition < 0 ? partition : placement.colocation().nodeOf(partition);
  }

  private BoundValues bind(boolean binary, String... key) {
    List<byte[]> values = new ArrayList<>();
    boolean[] formats = new boolean[key.length];
    for (int at = 0; at < key.length; at++) {
      byte[] bytes = binary ? table.types().get(at).binary(key[at]) : null;
      formats[at] = bytes != null;
      values.add(bytes != null ? bytes : key[at].getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return new Bound(values, formats);
  }

  private record Bound(List<byte[]> values, boolean[] formats) implements BoundValues {
    @Override
    public int count() {
      return formats.length;
    }

    @Override
    public boolean isBinary(int parameter) {
      return formats[parameter - 1];
    }

    @Override
    public byte[] buffer(int parameter) {
      return values.get(parameter - 1);
    }

    @Override
    public int offset(int parameter) {
      return 0;
    }

    @Override
    public int length(int parameter) {
      return values.get(parameter - 1).length;
    }
  }
}
