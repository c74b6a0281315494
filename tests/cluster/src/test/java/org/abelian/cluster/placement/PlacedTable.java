package org.abelian.cluster.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table and how it is placed. Its distribution columns are k1, k2, ...; beside them it has id, v
 * and counts.
 *
 * @param types of the distribution columns
 * @param keys what is given to create_distributed_table(), a column or an expression each
 * @param method hash, range, list, rules or lookup
 * @param rule null for none
 * @param entries of a lookup: keys, each with a partition
 */
record PlacedTable(
    String name,
    List<KeyType> types,
    String keys,
    String method,
    String rule,
    List<String> entries) {

  static PlacedTable of(String name, String keys, String method, String rule, KeyType... types) {
    return new PlacedTable(name, List.of(types), keys, method, rule, List.of());
  }

  PlacedTable with(String... keysAndPartitions) {
    return new PlacedTable(name, types, keys, method, rule, List.of(keysAndPartitions));
  }

  List<String> columns() {
    return IntStream.rangeClosed(1, types.size()).mapToObj(at -> "k" + at).toList();
  }

  String columnList() {
    return String.join(", ", columns());
  }

  /** The table, under that name. */
  String create(String as) {
    String keys =
        IntStream.range(0, types.size())
            .mapToObj(at -> columns().get(at) + " " + types.get(at).sql() + " NOT NULL")
            .collect(Collectors.joining(", "));
    return "CREATE TABLE %s (%s, id integer, v integer NOT NULL DEFAULT 0, note text, PRIMARY KEY (%s, id))"
        .formatted(as, keys, columnList());
  }

  /** What places it, and a second table by its side. */
  List<String> place() {
    List<String> commands = new ArrayList<>();
    String rules = rule == null ? "" : ", rule => $$" + rule + "$$";
    commands.add(
        "SELECT create_distributed_table('%s', '%s', '%s', 'none'%s)"
            .formatted(name, keys, method, rules));
    for (int at = 0; at < entries.size(); at += 2) {
      commands.add(
          "SELECT abelian.place_key('%s', '%s', %s)"
              .formatted(name, entries.get(at), entries.get(at + 1)));
    }
    return commands;
  }

  /** A key as texts in PostgreSQL's output form. */
  String[] randomKey(SplittableRandom random) {
    return types.stream().map(type -> type.random(random)).toArray(String[]::new);
  }

  @Override
  public String toString() {
    return name;
  }
}
