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
  private final List<KeyClass> classes;

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
    this.classes = KeyClasses.of(sources, uses, facts);
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
    return insert.source() == InsertFacts.Source.VALUES ? values(key) : select(key);
  }

  private Plan values(int key) {
    List<KeySource> keys = new ArrayList<>();
    for (List<Value> row : insert.rows()) {
      keys.add(
          stored(row.get(key)).orElseThrow(() -> Refusals.keyComputed(target, placement.column())));
    }
    if (keys.size() == 1) {
      return values -> togetherWithSources(nodeOf(keys.get(0), values), values);
    }
    SplitText text =
        new SplitText(
            sql.getBytes(StandardCharsets.UTF_8),
            facts.span(),
            insert.valuesSpan(),
            insert.rowSpans());
    return values -> {
      int[] nodes = keys.stream().mapToInt(source -> nodeOf(source, values)).toArray();
      return Arrays.stream(nodes).allMatch(node -> node == nodes[0])
          ? togetherWithSources(nodes[0], values)
          : split(nodes, text);
    };
  }

  private Route split(int[] nodes, SplitText text) {
    if (!sources.isEmpty()) {
      throw Refusals.insertReadsOthers(target);
    }
    Map<Integer, List<Integer>> rows = new TreeMap<>();
    for (int row = 0; row < nodes.length; row++) {
      rows.computeIfAbsent(nodes[row], any -> new ArrayList<>()).add(row);
    }
    List<Route.Part> parts = new ArrayList<>();
    rows.forEach((node, own) -> parts.add(new Route.Part(node, text.withRows(own))));
    return new Route.Split(parts);
  }

  /** The route to the node of the row, if all that the statement reads beside it is there too. */
  private Route togetherWithSources(int node, BoundValues values) {
    NodeSet read = KeyClasses.nodes(classes, values);
    if (!read.isEmpty() && !(read.isSingle() && read.first() == node)) {
      throw Refusals.joinAcrossNodes(target, sources.get(0));
    }
    return new Route.OneNode(node);
  }

  /** The source of a value that is stored in the distribution column, if the router can know it. */
  private Optional<KeySource> stored(Value value) {
    int count = placement.colocation().partitionCount();
    if (!(value instanceof Value.CastParameter cast)) {
      return Optional.ofNullable(KeySource.of(value, new KeyReader(placement.key(), count), facts));
    }
    return AssignmentCast.lengthMax(placement.key(), cast.type())
        .map(
            lengthMax ->
                KeySource.of(
                    new Value.Parameter(cast.number()),
                    new KeyReader(placement.key(), count, lengthMax),
                    facts));
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
  private Plan select(int key) {
    if (insert.keyLinks().stream().anyMatch(link -> isColocated(link.relation()))) {
      return new KeyedPlan(classes, this::onSeveral);
    }
    Value value = insert.rows().isEmpty() ? new Value.Other() : insert.rows().get(0).get(key);
    KeySource source = selected(value).orElseThrow(this::insertSelectRefusal);
    return values -> {
      int partition = source.partition(values);
      boolean selectsNothing = value instanceof Value.Column && partition < 0;
      return selectsNothing
          ? new Route.OneNode(placement.colocation().nodeOf(0))
          : togetherWithSources(nodeOf(source, values), values);
    };
  }

  private boolean isColocated(int relation) {
    Placement.Hash from = uses.placement(relation);
    return from != null
        && relation != target.id()
        && from.colocation().id() == placement.colocation().id()
        && from.key() == placement.key();
  }

  private Route onSeveral(NodeSet nodes) {
    AbelianException refusal = Refusals.ofSeveral(facts);
    if (refusal != null) {
      throw refusal;
    }
    return new Route.ScatterWrite(nodes.asList());
  }

  /** The one key that all selected rows have. */
  private Optional<KeySource> selected(Value value) {
    if (!(value instanceof Value.Column column)) {
      return stored(value);
    }
    Optional<Equality> equality = KeyClasses.equalityOf(column.reference(), facts);
    KeyReader reader = new KeyReader(placement.key(), placement.colocation().partitionCount());
    return equality.flatMap(
        found -> KeyClasses.sources(found.values(), reader, facts).stream().findFirst());
  }

  private AbelianException insertSelectRefusal() {
    return Refusals.insertSelect(target, placement.column());
  }
}
