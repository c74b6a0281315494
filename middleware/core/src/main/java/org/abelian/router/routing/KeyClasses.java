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
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.catalog.KeyKind;
import org.abelian.router.catalog.Placement;

/**
 * Groups the hash-placed relations of a statement by what is known about their distribution
 * columns. Should a column stand in several equalities, each holds by itself, and the one that says
 * most is taken.
 */
final class KeyClasses {
  private record Group(Equality equality, int colocation, KeyKind kind) {}

  private KeyClasses() {}

  /** The classes of these relations, in the order of their first relation. */
  static List<KeyClass> of(List<RelationFacts> hashed, TableUses uses, StatementFacts facts) {
    Map<Group, Set<Integer>> members = new LinkedHashMap<>();
    for (RelationFacts relation : hashed) {
      Placement.Hash placement = uses.placement(relation);
      ColumnReference key = new ColumnReference(relation.id(), placement.column());
      Equality restriction =
          equalityOf(key, facts).filter(equality -> strength(equality) > 0).orElse(null);
      Group group = new Group(restriction, placement.colocation().id(), placement.key());
      members.computeIfAbsent(group, any -> new HashSet<>()).add(relation.id());
    }
    List<KeyClass> classes = new ArrayList<>();
    members.forEach((group, ids) -> classes.add(keyClass(group, ids, uses, facts)));
    return classes;
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
    Placement.Hash placement = uses.placement(ids.iterator().next());
    if (group.equality() == null) {
      return KeyClass.of(placement.colocation(), ids, List.of(), List.of());
    }
    KeyReader reader = new KeyReader(placement.key(), placement.colocation().partitionCount());
    List<KeyList> in = new ArrayList<>();
    for (List<Value> list : group.equality().in()) {
      KeyList.of(list, reader, facts).ifPresent(in::add);
    }
    return KeyClass.of(
        placement.colocation(), ids, sources(group.equality().values(), reader, facts), in);
  }

  /** The sources of those values that the router can know. */
  static List<KeySource> sources(List<Value> values, KeyReader reader, StatementFacts facts) {
    return values.stream()
        .map(value -> KeySource.of(value, reader, facts))
        .filter(Objects::nonNull)
        .toList();
  }
}
