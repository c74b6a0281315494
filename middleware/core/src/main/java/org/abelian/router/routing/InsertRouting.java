package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;

/** Routes INSERT into a distributed table: each row to the node of its key. */
final class InsertRouting {
  private final String sql;
  private final StatementFacts facts;
  private final InsertFacts insert;
  private final TableUses uses;
  private final RelationFacts target;
  private final Placement.Distributed placement;
  private final List<RelationFacts> sources;
  private final List<KeyClass> classes;

  InsertRouting(String sql, StatementFacts facts, TableUses uses) {
    this.sql = sql;
    this.facts = facts;
    this.insert = facts.change().insert();
    this.uses = uses;
    this.target =
        uses.distributed().stream()
            .filter(table -> table.id() == insert.relation())
            .findFirst()
            .orElseThrow();
    this.placement = uses.placement(target);
    this.sources = uses.distributed().stream().filter(table -> table.id() != target.id()).toList();
    this.classes = KeyClasses.of(sources, uses, facts);
  }

  Plan plan() {
    for (RelationFacts table : sources) {
      if (table.write()) {
        throw Refusals.nestedWrite(table);
      }
    }
    List<Integer> places = new ArrayList<>();
    for (KeyColumn column : placement.columns()) {
      int place = insert.columns().indexOf(column.name());
      if (place < 0) {
        throw Refusals.keyMissing(target, column.name());
      }
      places.add(place);
    }
    return insert.source() == InsertFacts.Source.SELECT ? select(places) : values(places);
  }

  private Plan values(List<Integer> places) {
    List<RowKey> keys = insert.rows().stream().map(row -> key(row, places)).toList();
    if (keys.size() == 1) {
      return values -> togetherWithSources(keys.get(0).node(values), values);
    }
    SplitText text =
        new SplitText(
            sql.getBytes(StandardCharsets.UTF_8),
            facts.span(),
            insert.valuesSpan(),
            insert.rowSpans());
    return values -> {
      int[] nodes = keys.stream().mapToInt(key -> key.node(values)).toArray();
      return Arrays.stream(nodes).allMatch(node -> node == nodes[0])
          ? togetherWithSources(nodes[0], values)
          : split(nodes, text);
    };
  }

  private RowKey key(List<Value> row, List<Integer> places) {
    List<KeySource> columns = new ArrayList<>();
    for (int at = 0; at < places.size(); at++) {
      KeyColumn column = placement.columns().get(at);
      columns.add(
          stored(column, row.get(places.get(at)))
              .orElseThrow(() -> Refusals.keyComputed(target, column.name())));
    }
    return new RowKey(target, placement, columns);
  }

  private Route split(int[] nodes, SplitText text) {
    if (!sources.isEmpty()) {
      throw Refusals.insertReadsOthers(target);
    }
    if (text.values() == null) {
      throw Refusals.rowsNotFound(target);
    }
    Map<Integer, List<Integer>> rows = new TreeMap<>();
    for (int row = 0; row < nodes.length; row++) {
      rows.computeIfAbsent(nodes[row], any -> new ArrayList<>()).add(row);
    }
    List<Route.Part> parts = new ArrayList<>();
    rows.forEach((node, own) -> parts.add(new Route.Part(node, text.withRows(own))));
    List<Integer> order = List.copyOf(rows.keySet());
    return new Route.Split(parts, Arrays.stream(nodes).mapToObj(order::indexOf).toList());
  }

  /** The route to the node of the row, if all that the statement reads beside it is there too. */
  private Route togetherWithSources(int node, BoundValues values) {
    NodeSet read = KeyClasses.nodes(classes, values);
    if (!read.isEmpty() && !(read.isSingle() && read.first() == node)) {
      throw Refusals.joinAcrossNodes(target, sources.get(0));
    }
    return new Route.OneNode(node);
  }

  /** The source of a value that is stored in a distribution column, if the router can know it. */
  private Optional<KeySource> stored(KeyColumn column, Value value) {
    if (!(value instanceof Value.CastParameter cast)) {
      return Optional.ofNullable(KeySource.of(value, KeyReader.ofStored(column), facts));
    }
    int given = KeySource.typeOf(cast.parameter(), facts);
    return AssignmentCast.reader(column, cast.type(), given)
        .map(reader -> KeySource.of(cast.parameter(), reader, facts));
  }

  /** All rows that are selected must be for the node on which they are selected. */
  private Plan select(List<Integer> places) {
    List<Value> row =
        places.stream()
            .map(
                place ->
                    insert.rows().isEmpty() ? new Value.Other() : insert.rows().get(0).get(place))
            .toList();
    if (sources.stream().anyMatch(this::isLinked)) {
      return new KeyedPlan(classes, NodeSet.NONE, this::onSeveral);
    }
    List<KeySource> columns = new ArrayList<>();
    for (int at = 0; at < row.size(); at++) {
      columns.add(
          selected(placement.columns().get(at), row.get(at))
              .orElseThrow(this::insertSelectRefusal));
    }
    RowKey key = new RowKey(target, placement, columns);
    return values -> selected(key, row, values);
  }

  /** The route when all rows that are selected have that key. */
  private Route selected(RowKey key, List<Value> row, BoundValues values) {
    if (row.stream().noneMatch(Value.Column.class::isInstance)) {
      return togetherWithSources(key.node(values), values);
    }
    int partition = key.partition(values);
    if (partition >= 0) {
      return togetherWithSources(placement.colocation().nodeOf(partition), values);
    }
    int anyNode = placement.colocation().nodeOf(0);
    int impossible = key.impossible(values);
    if (impossible < 0) {
      return togetherWithSources(anyNode, values); // Should there be such rows, it refuses them.
    }
    boolean selectsNothing = row.get(impossible) instanceof Value.Column;
    return new Route.OneNode(selectsNothing ? anyNode : key.node(values));
  }

  /** True when each row is selected where a row of that table with the same key lies. */
  private boolean isLinked(RelationFacts source) {
    return uses.placement(source).liesWith(placement)
        && insert.keyLinks().stream().anyMatch(link -> link.relation() == source.id());
  }

  private Route onSeveral(NodeSet nodes) {
    AbelianException refusal = Refusals.ofSeveral(facts);
    if (refusal != null) {
      throw refusal;
    }
    return new Route.ScatterWrite(nodes.asList());
  }

  /** The one value that all selected rows have in a distribution column. */
  private Optional<KeySource> selected(KeyColumn target, Value value) {
    if (!(value instanceof Value.Column column)) {
      return stored(target, value);
    }
    Optional<Equality> equality = KeyClasses.equalityOf(column.reference(), facts);
    return equality.flatMap(
        found ->
            found.values().stream()
                .map(known -> KeySource.of(known, new KeyReader(target), facts))
                .filter(Objects::nonNull)
                .findFirst());
  }

  private AbelianException insertSelectRefusal() {
    return Refusals.insertSelect(target, placement.columnNames());
  }
}
