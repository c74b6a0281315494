package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.Span;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;

/** Routes INSERT into a hash-placed table: each row to the node of its key. */
final class InsertRouting {
  private final String sql;
  private final StatementFacts facts;
  private final InsertFacts insert;
  private final TableUses uses;
  private final RelationFacts target;
  private final Placement.Hash placement;
  private final List<RelationFacts> sources;

  InsertRouting(String sql, StatementFacts facts, TableUses uses) {
    this.sql = sql;
    this.facts = facts;
    this.insert = facts.insert();
    this.uses = uses;
    this.target =
        uses.hashed().stream()
            .filter(table -> table.id() == insert.relation())
            .findFirst()
            .orElseThrow();
    this.placement = uses.placement(target);
    this.sources = uses.hashed().stream().filter(table -> table.id() != target.id()).toList();
  }

  Plan plan() {
    for (RelationFacts table : sources) {
      if (table.write()) {
        throw Refusals.nestedWrite(table);
      }
    }
    int key = insert.columns().indexOf(placement.column());
    if (key < 0 || insert.source() == InsertFacts.Source.DEFAULT) {
      throw Refusals.keyMissing(target, placement.column());
    }
    List<KeyClass> classes = KeyClasses.of(sources, uses, facts);
    return insert.source() == InsertFacts.Source.VALUES
        ? values(key, classes)
        : select(key, classes);
  }

  private Plan values(int key, List<KeyClass> classes) {
    List<KeySource> keys = new ArrayList<>();
    for (List<Value> row : insert.rows()) {
      keys.add(stored(row.get(key)));
    }
    SplitText text = keys.size() > 1 ? splitText() : null;
    return values -> {
      int[] nodes = keys.stream().mapToInt(source -> nodeOf(source, values)).toArray();
      Route route = route(nodes, text);
      if (!classes.isEmpty()) {
        requireTogether(route, classes, values);
      }
      return route;
    };
  }

  private SplitText splitText() {
    return new SplitText(
        sql.getBytes(StandardCharsets.UTF_8), facts.span(), insert.valuesSpan(), insert.rowSpans());
  }

  private Route route(int[] nodes, SplitText text) {
    if (Arrays.stream(nodes).allMatch(node -> node == nodes[0])) {
      return new Route.OneNode(nodes[0]);
    }
    Map<Integer, List<Integer>> rows = new TreeMap<>();
    for (int row = 0; row < nodes.length; row++) {
      rows.computeIfAbsent(nodes[row], any -> new ArrayList<>()).add(row);
    }
    List<Route.Part> parts = new ArrayList<>();
    rows.forEach((node, own) -> parts.add(new Route.Part(node, text.withRows(own))));
    return new Route.Split(parts);
  }

  private void requireTogether(Route route, List<KeyClass> classes, BoundValues values) {
    if (!(route instanceof Route.OneNode one)) {
      throw Refusals.insertReadsOthers(target);
    }
    int read =
        KeyedPlan.commonNode(classes, values, Refusals.joinAcrossNodes(target, sources.get(0)));
    boolean matters = classes.stream().anyMatch(keys -> !keys.nodes(values).isEmpty());
    if (matters && read != one.node()) {
      throw Refusals.joinAcrossNodes(target, sources.get(0));
    }
  }

  /** The source of a value that is stored in the distribution column. */
  private KeySource stored(Value value) {
    KeyReader reader =
        new KeyReader(
            placement.key(), placement.colocation().partitionCount(), KeyReader.Use.STORE);
    KeySource source = KeySource.of(value, reader, facts);
    if (source == null) {
      throw Refusals.keyComputed(target, placement.column());
    }
    return source;
  }

  private int nodeOf(KeySource source, BoundValues values) {
    int partition = source.partition(values);
    if (partition == KeyReader.NULL) {
      throw Refusals.keyNull(target, placement.column());
    }
    if (partition == KeyReader.NO_MATCH) {
      throw Refusals.keyInexact(target, placement.column());
    }
    return placement.colocation().nodeOf(partition);
  }

  /** All rows that are selected must be for the node on which they are selected. */
  private Plan select(int key, List<KeyClass> classes) {
    Value value = insert.selected().isEmpty() ? new Value.Other() : insert.selected().get(key);
    if (value instanceof Value.Column column) {
      return selectColumn(column, classes);
    }
    if (value instanceof Value.Other) {
      throw Refusals.insertSelect(target, placement.column());
    }
    KeySource source = stored(value);
    return values -> {
      Route route = new Route.OneNode(nodeOf(source, values));
      if (!classes.isEmpty()) {
        requireTogether(route, classes, values);
      }
      return route;
    };
  }

  private Plan selectColumn(Value.Column column, List<KeyClass> classes) {
    Placement.Hash from = uses.placement(column.reference().relation());
    boolean carriesKey =
        from != null
            && from.column().equals(column.reference().column())
            && from.colocation().id() == placement.colocation().id()
            && from.key().kind() == placement.key().kind();
    Optional<Equality> equality = KeyClasses.equalityOf(column.reference(), facts);
    List<KeySource> known =
        equality
            .map(
                found ->
                    KeyClasses.sources(
                        found.values(),
                        new KeyReader(
                            placement.key(),
                            placement.colocation().partitionCount(),
                            KeyReader.Use.COMPARE),
                        facts))
            .orElse(List.of());
    if (known.isEmpty() && !carriesKey) {
      throw Refusals.insertSelect(target, placement.column());
    }
    return values -> {
      int node;
      if (known.isEmpty()) {
        node = KeyedPlan.commonNode(classes, values, insertSelectRefusal());
        return new Route.OneNode(node);
      }
      int partition = known.get(0).partition(values);
      if (partition < 0) {
        return new Route.OneNode(placement.colocation().nodeOf(0)); // It selects nothing.
      }
      Route route = new Route.OneNode(placement.colocation().nodeOf(partition));
      if (!classes.isEmpty()) {
        requireTogether(route, classes, values);
      }
      return route;
    };
  }

  private AbelianException insertSelectRefusal() {
    return Refusals.insertSelect(target, placement.column());
  }

  /** The text of a multi-row INSERT in pieces. */
  private record SplitText(byte[] text, Span statement, Span values, List<Span> rows) {
    String withRows(List<Integer> chosen) {
      StringBuilder part = new StringBuilder();
      part.append(piece(statement.offset(), values.offset()));
      String separator = "";
      for (int row : chosen) {
        Span span = rows.get(row);
        part.append(separator).append(piece(span.offset(), span.end()));
        separator = ", ";
      }
      int end = statement.length() > 0 ? statement.end() : text.length;
      return part.append(piece(values.end(), end)).toString();
    }

    private String piece(int from, int to) {
      return new String(text, from, to - from, StandardCharsets.UTF_8);
    }
  }
}
