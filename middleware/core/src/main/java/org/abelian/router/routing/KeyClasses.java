package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.abelian.router.analysis.ColumnReference;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.KeyRange;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;

/**
 * Groups the distributed relations of a statement by what is known about their distribution
 * columns. Should a column stand in several equalities, each holds by itself, and the one that says
 * most is taken.
 */
final class KeyClasses {
  /**
   * @param restrictions for each distribution column what it equals; null where nothing is known
   * @param ranges for each distribution column its bounds
   * @param columns without their names
   */
  private record Group(
      List<Equality> restrictions,
      List<List<KeyRange.Bound>> ranges,
      int colocation,
      List<KeyColumn> columns) {}

  private KeyClasses() {}

  /** The classes of these relations, in the order of their first relation. */
  static List<KeyClass> of(List<RelationFacts> distributed, TableUses uses, StatementFacts facts) {
    Map<Group, Set<Integer>> members = new LinkedHashMap<>();
    for (RelationFacts relation : distributed) {
      Placement.Distributed placement = uses.placement(relation);
      members
          .computeIfAbsent(group(relation, placement, facts), any -> new HashSet<>())
          .add(relation.id());
    }
    List<KeyClass> classes = new ArrayList<>();
    members.forEach((group, ids) -> classes.add(keyClass(group, ids, uses, facts)));
    return classes;
  }

  private static Group group(
      RelationFacts relation, Placement.Distributed placement, StatementFacts facts) {
    List<Equality> restrictions = new ArrayList<>();
    List<List<KeyRange.Bound>> ranges = new ArrayList<>();
    List<KeyColumn> columns = new ArrayList<>();
    for (KeyColumn column : placement.columns()) {
      ColumnReference key = new ColumnReference(relation.id(), column.name());
      restrictions.add(
          equalityOf(key, facts).filter(equality -> strength(equality) > 0).orElse(null));
      ranges.add(boundsOf(key, facts));
      columns.add(new KeyColumn("", column.key(), column.expression()));
    }
    return new Group(restrictions, ranges, placement.colocation().id(), columns);
  }

  private static List<KeyRange.Bound> boundsOf(ColumnReference column, StatementFacts facts) {
    return facts.ranges().stream()
        .filter(range -> range.column().equals(column))
        .flatMap(range -> range.bounds().stream())
        .toList();
  }

  /** The nodes of all classes together. */
  static NodeSet nodes(List<KeyClass> classes, BoundValues values) {
    NodeSet nodes = NodeSet.NONE;
    for (KeyClass keys : classes) {
      nodes = nodes.union(keys.nodes(values));
    }
    return nodes;
  }

  /** The equality that says most about a column: one with values rather than one without. */
  static Optional<Equality> equalityOf(ColumnReference column, StatementFacts facts) {
    return facts.equalities().stream()
        .filter(equality -> equality.columns().contains(column))
        .max(Comparator.comparingInt(KeyClasses::strength));
  }

  private static int strength(Equality equality) {
    return !equality.values().isEmpty() ? 2 : !equality.in().isEmpty() ? 1 : 0;
  }

  private static KeyClass keyClass(
      Group group, Set<Integer> ids, TableUses uses, StatementFacts facts) {
    List<ColumnKeys> columns = new ArrayList<>();
    for (int at = 0; at < group.columns().size(); at++) {
      KeyColumn column = group.columns().get(at);
      KeyBounds bounds = KeyBounds.of(group.ranges().get(at), column, facts);
      columns.add(keys(group.restrictions().get(at), bounds, column, facts));
    }
    return KeyClass.of(uses.placement(ids.iterator().next()).colocation(), ids, columns);
  }

  private static ColumnKeys keys(
      Equality restriction, KeyBounds bounds, KeyColumn column, StatementFacts facts) {
    if (restriction == null) {
      return new ColumnKeys(List.of(), List.of(), bounds);
    }
    KeyReader reader = new KeyReader(column);
    List<KeyList> in = new ArrayList<>();
    for (List<Value> list : restriction.in()) {
      KeyList.of(list, reader, facts).ifPresent(in::add);
    }
    return new ColumnKeys(sources(restriction.values(), reader, facts), in, bounds);
  }

  /** The sources of those values, which the column equals, that the router may know. */
  static List<KeySource> sources(List<Value> values, KeyReader reader, StatementFacts facts) {
    return values.stream()
        .map(value -> KeySource.compared(value, reader, facts))
        .filter(Objects::nonNull)
        .toList();
  }
}
