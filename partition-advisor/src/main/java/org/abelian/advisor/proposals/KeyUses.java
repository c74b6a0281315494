package org.abelian.advisor.proposals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.advisor.placement.KeyHash;
import org.abelian.advisor.placement.SqlNames;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.Tuples;
import org.abelian.advisor.workload.Workload;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.LookupFunction;

/**
 * Which keys transactions use, and where these lie. A key is that of a colocation group: all rows
 * with it go together.
 */
final class KeyUses {
  private final Workload workload;
  private final Catalog catalog;
  private final Map<Identity, Integer> numbers = new HashMap<>();
  private final List<Key> keys = new ArrayList<>();
  private final List<Use> uses = new ArrayList<>();
  private final double[] elsewhere;
  private long unplaced;

  /** A key within its group. */
  private record Identity(int colocation, List<KeyValue> values) {}

  /**
   * A key.
   *
   * @param table one that has it
   * @param text as a condition
   * @param node where it lies, from 0
   * @param placeable whether it can be placed by itself
   */
  static final class Key {
    final String table;
    final String text;
    final boolean placeable;
    int node;
    double load;

    Key(String table, String text, boolean placeable, int node) {
      this.table = table;
      this.text = text;
      this.placeable = placeable;
      this.node = node;
    }
  }

  /**
   * The keys of one transaction.
   *
   * @param keys their numbers; each once
   * @param fixed a node that it needs besides, or -1
   * @param everywhere whether it goes to all nodes, wherever keys lie
   * @param weight for how many transactions it counts
   */
  record Use(int[] keys, int fixed, boolean everywhere, double weight) {}

  KeyUses(Workload workload, Catalog catalog) {
    this.workload = workload;
    this.catalog = catalog;
    elsewhere = new double[catalog.nodes().size()];
    for (int transaction = 0; transaction < workload.size(); transaction++) {
      add(transaction);
    }
  }

  /** The keys, by number. */
  List<Key> keys() {
    return keys;
  }

  /** The transactions. */
  List<Use> uses() {
    return uses;
  }

  /** Accesses of each node that no key's place changes. */
  double[] elsewhere() {
    return elsewhere.clone();
  }

  /** How many accesses name a row that the present rule has no place for. */
  long unplaced() {
    return unplaced;
  }

  private void add(int transaction) {
    double weight = workload.weight(transaction);
    Set<Integer> used = new LinkedHashSet<>();
    boolean everywhere = false;
    boolean local = false;
    for (int access = workload.first(transaction);
        access < workload.first(transaction + 1);
        access++) {
      TraceTable table =
          workload.tuples().tables().get(workload.tuples().table(workload.tuple(access)));
      Placement placement =
          catalog.placement(new TableName(table.schema(), table.name())).orElse(null);
      if (placement == null) {
        local = true;
        elsewhere[0] += weight;
      } else if (placement instanceof Placement.Distributed placed) {
        int key = key(access, table, placed);
        if (key >= 0) {
          used.add(key);
          keys.get(key).load += weight;
        } else {
          everywhere = true;
          addEverywhere(weight);
        }
      } else if (workload.writes(access)) {
        everywhere = true;
        addEverywhere(weight);
      }
    }
    uses.add(
        new Use(
            used.stream().mapToInt(Integer::intValue).toArray(),
            local ? 0 : -1,
            everywhere,
            weight));
  }

  private void addEverywhere(double weight) {
    for (int node = 0; node < elsewhere.length; node++) {
      elsewhere[node] += weight;
    }
  }

  /** The number of the key that an access names; -1 when it does not say which. */
  private int key(int access, TraceTable table, Placement.Distributed placed) {
    int tuple = workload.tuple(access);
    Tuples tuples = workload.tuples();
    List<KeyValue> values = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    for (KeyColumn column : placed.columns()) {
      int place = table.place(column.name());
      String text = place < 0 ? null : tuples.text(tuple, place);
      if (text == null || (workload.bound(access) >> place & 1) == 0) {
        return -1;
      }
      KeyValue value = KeyHash.value(table.attributes().get(place).type(), text);
      values.add(column.expression() == null ? value : of(column, value));
      conditions.add(SqlNames.identifier(column.name()) + " = " + SqlNames.literal(text));
    }
    int partition = placed.colocation().function().partition(values.toArray(KeyValue[]::new));
    if (partition < 0) {
      unplaced++;
      return -1;
    }
    int node = nodeNumber(placed.colocation(), partition);
    return numbers.computeIfAbsent(
        new Identity(placed.colocation().id(), values),
        fresh -> {
          keys.add(
              new Key(
                  table.id(),
                  String.join(" AND ", conditions),
                  placed.colocation().function() instanceof LookupFunction,
                  node));
          return keys.size() - 1;
        });
  }

  private static KeyValue of(KeyColumn column, KeyValue value) {
    if (value instanceof KeyValue.Number number) {
      return new KeyValue.Number(column.expression().of(number.value()));
    }
    byte[] bytes = ((KeyValue.Bytes) value).value();
    return new KeyValue.Bytes(
        java.util.Arrays.copyOf(bytes, column.expression().lengthOf(bytes, 0, bytes.length)));
  }

  private int nodeNumber(Colocation colocation, int partition) {
    int id = colocation.nodeOf(partition);
    for (int number = 0; number < catalog.nodes().size(); number++) {
      if (catalog.nodes().get(number).id() == id) {
        return number;
      }
    }
    throw new IllegalStateException("partition " + partition + " is on no node");
  }
}
