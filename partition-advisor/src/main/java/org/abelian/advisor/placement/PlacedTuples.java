package org.abelian.advisor.placement;

import java.util.Map;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;
import org.abelian.advisor.workload.Tuples;
import org.abelian.router.placement.KeyValue;

/** Where the tuples of a workload lie under a placement, and what a statement must name to know. */
public final class PlacedTuples {
  /** A copy on each partition. */
  public static final int EVERYWHERE = Rule.EVERYWHERE;

  /** What is known of the tuple does not say. */
  public static final int UNKNOWN = -2;

  private final Tuples tuples;
  private final Lookups lookups;
  private final int partitions;
  private final int[] partition;
  private final long[] needed;

  /**
   * Places all tuples.
   *
   * @param lookups the maps that the candidate names
   * @param partitions how many there are
   */
  public PlacedTuples(Tuples tuples, Candidate candidate, Lookups lookups, int partitions) {
    this.tuples = tuples;
    this.lookups = lookups;
    this.partitions = partitions;
    partition = new int[tuples.size()];
    needed = new long[tuples.size()];
    TablePlacement[] placements =
        tuples.tables().stream()
            .map(table -> candidate.tables().get(table.id()))
            .toArray(TablePlacement[]::new);
    for (int tuple = 0; tuple < partition.length; tuple++) {
      partition[tuple] = place(tuple, placements[tuples.table(tuple)]);
    }
  }

  /** The partition of a tuple, {@link #EVERYWHERE} or {@link #UNKNOWN}. */
  public int partition(int tuple) {
    return partition[tuple];
  }

  /** Whether a statement that names the tuple by these attributes can be sent to it alone. */
  public boolean routable(int tuple, long bound) {
    return (needed[tuple] & ~bound) == 0;
  }

  private int place(int tuple, TablePlacement placement) {
    if (placement instanceof TablePlacement.Reference) {
      return EVERYWHERE;
    }
    if (placement instanceof TablePlacement.Hash hash) {
      return hashed(tuple, hash.column(), named(tuple, hash.column()));
    }
    if (placement instanceof TablePlacement.Lookup lookup) {
      String text = named(tuple, lookup.column());
      Integer found = text == null ? null : lookups.map(lookup.map()).get(text);
      return found != null ? found : hashed(tuple, lookup.column(), text);
    }
    if (placement instanceof TablePlacement.Rules rules) {
      return follow(tuple, rules.rule());
    }
    Map<String, Integer> rows =
        placement instanceof TablePlacement.RowLookup lookup ? lookups.map(lookup.map()) : Map.of();
    return placeRow(tuple, rows);
  }

  /** A part of a key says nothing about where its rows lie one by one. */
  private int placeRow(int tuple, Map<String, Integer> rows) {
    TraceTable table = tuples.tables().get(tuples.table(tuple));
    Integer looked = rows.get(tuples.identity(tuple));
    if (looked == null && !TupleIdentity.isWhole(tuples.identity(tuple))) {
      return UNKNOWN;
    }
    if (looked != null && looked == EVERYWHERE) {
      return EVERYWHERE;
    }
    table.primaryKey().forEach(column -> needed[tuple] |= bit(table.place(column)));
    return looked != null
        ? looked
        : KeyHash.node(
            partitions,
            table.primaryKey().stream()
                .map(column -> value(tuple, column, tuples.text(tuple, table.place(column))))
                .toArray(KeyValue[]::new));
  }

  private int hashed(int tuple, String column, String text) {
    return text == null ? UNKNOWN : KeyHash.node(partitions, value(tuple, column, text));
  }

  private KeyValue value(int tuple, String column, String text) {
    TraceTable table = tuples.tables().get(tuples.table(tuple));
    return KeyHash.value(table.attributes().get(table.place(column)).type(), text);
  }

  private String named(int tuple, String column) {
    int place = tuples.tables().get(tuples.table(tuple)).place(column);
    needed[tuple] |= bit(place);
    return tuples.text(tuple, place);
  }

  private int follow(int tuple, Rule start) {
    Rule rule = start;
    while (!(rule instanceof Rule.Then)) {
      if (rule instanceof Rule.AtMost split) {
        Double number = Numbers.parse(named(tuple, split.column()));
        if (number == null) {
          return UNKNOWN;
        }
        rule = number <= split.value() ? split.yes() : split.no();
      } else if (rule instanceof Rule.Equal split) {
        String text = named(tuple, split.column());
        if (text == null) {
          return UNKNOWN;
        }
        rule = text.equals(split.value()) ? split.yes() : split.no();
      }
    }
    return ((Rule.Then) rule).partition();
  }

  private static long bit(int place) {
    return place < 0 || place >= Long.SIZE ? 0 : 1L << place;
  }
}
