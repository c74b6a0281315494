package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.NodeFunctions;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;

/**
 * Routes an INSERT ... SELECT or a MERGE whose rows may go to other nodes than those that select
 * them, or an UPDATE that gives rows new keys: what gives the rows goes its own way, and each row
 * to the node of its key.
 */
final class GatheredInsertRouting {
  private final StatementFacts facts;
  private final GatheredFacts gathered;
  private final Catalog catalog;
  private final TableUses uses;
  private final RelationFacts target;
  private final Placement.Distributed placement;

  GatheredInsertRouting(StatementFacts facts, GatheredFacts gathered, Catalog catalog) {
    this.facts = facts;
    this.gathered = gathered;
    this.catalog = catalog;
    this.uses = new TableUses(facts, catalog);
    this.target =
        facts.relations().stream()
            .filter(table -> table.write() && table.level() == 0)
            .findFirst()
            .orElseThrow();
    this.placement = uses.placement(target);
  }

  /** True when there is such a way at all. */
  boolean applies() {
    return isPlaced() && !isRefused();
  }

  private boolean isPlaced() {
    return placement != null || uses.references().contains(target) || isLocal();
  }

  /** True when it lies on the first node only. */
  private boolean isLocal() {
    return uses.local().contains(target);
  }

  /** What is refused of any INSERT, or of what its rows take part in. */
  private boolean isRefused() {
    StatementFacts insert = gathered.insertFacts();
    NodeFunctions called = insert.calls().nodeFunctions();
    boolean changesKey =
        placement != null
            && placement.columns().stream()
                .anyMatch(column -> target.assigned().contains(column.name()));
    return changesKey && !moves()
        || !insert.calls().functions().isEmpty()
        || !called.ofOneNode().isEmpty() && !isLocal()
        || !called.ofNoNode().isEmpty()
        || called.settings()
        || insert.relations().size() > 1
        || gathered.sourceFacts().writes() && !moves();
  }

  /** True when rows that are there get other keys. */
  private boolean moves() {
    return facts.kind() == StatementKind.UPDATE;
  }

  /**
   * The plan that takes the other way where the first one cannot.
   *
   * @param direct where the rows stay on the nodes that select them
   * @param source routes the SELECT
   */
  Plan plan(Plan direct, StatementRouter source) {
    return values -> {
      try {
        return direct.route(values);
      } catch (AbelianException refusal) {
        Route from = source.route(values);
        if (from instanceof Route.Refused refused) {
          throw refused.error();
        }
        Route gives = from.plain();
        if (moves() ? !deletes(gives) : !selects(gives)) {
          throw refusal;
        }
        return moves()
            ? new Route.MovedRows(gives, gathered, nodes(), home(values))
            : new Route.GatheredInsert(gives, gathered, nodes(), home(values));
      }
    };
  }

  private static boolean deletes(Route source) {
    return source instanceof Route.OneNode
        || source instanceof Route.ScatterWrite
        || source instanceof Route.GatheredWrite;
  }

  private static boolean selects(Route source) {
    return source instanceof Route.OneNode
        || source instanceof Route.AnyNode
        || source instanceof Route.Scatter;
  }

  private List<Integer> nodes() {
    if (isLocal()) {
      return List.of(catalog.first().id());
    }
    if (placement == null) {
      return catalog.nodes().stream().map(Node::id).toList();
    }
    return Arrays.stream(placement.colocation().distinctNodes()).boxed().toList();
  }

  private boolean isMerge() {
    return facts.kind() == StatementKind.MERGE;
  }

  /** Finds the node of a row; null when each row goes to all. */
  private Route.RowHome home(BoundValues client) {
    if (isLocal()) {
      return row -> catalog.first().id();
    }
    if (placement == null) {
      return null;
    }
    List<KeySource> columns = new ArrayList<>();
    for (int at = 0; at < placement.columns().size(); at++) {
      columns.add(source(placement.columns().get(at), gathered.keys().get(at), client));
    }
    RowKey key = new RowKey(target, placement, columns);
    return isMerge() ? row -> mergedAt(key, row) : row -> key.node(TextValues.ofBytes(row));
  }

  /** What can be no key matches no row; any node says so, or refuses to insert it. */
  private int mergedAt(RowKey key, byte[][] row) {
    int partition = key.partition(TextValues.ofBytes(row));
    return partition < 0 ? nodes().get(0) : placement.colocation().nodeOf(partition);
  }

  private KeySource source(KeyColumn column, GatheredFacts.Key key, BoundValues client) {
    if (key.value() != null) {
      KeySource same = KeySource.of(key.value(), KeyReader.ofStored(column), facts);
      if (same == null) {
        throw Refusals.keyComputed(target, column.name());
      }
      return (values, sink) -> same.read(client, sink);
    }
    KeyReader reader =
        AssignmentCast.reader(column, key.cast(), key.type())
            .orElseThrow(() -> Refusals.keyComputed(target, column.name()));
    int parameter = key.field() + 1;
    return (values, sink) -> reader.read(values, parameter, key.type(), sink);
  }
}
