package org.abelian.advisor.placement;

import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.workload.TupleIdentity;
import org.abelian.advisor.workload.Tuples;

/** Where the tuples of a workload lie under a placement, and what a statement must name to know. */
public final class PlacedTuples {
  /** A copy on each partition. */
  public static final int EVERYWHERE = RowPlacement.EVERYWHERE;

  /** What is known of the tuple does not say. */
  public static final int UNKNOWN = RowPlacement.UNKNOWN;

  private final Tuples tuples;
  private final Lookups lookups;
  private final RowPlacement rows;
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
    rows = new RowPlacement(lookups, partitions);
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
    TraceTable table = tuples.tables().get(tuples.table(tuple));
    if (placement instanceof TablePlacement.RowLookup lookup) {
      Integer looked = lookups.map(lookup.map()).get(tuples.identity(tuple));
      if (looked != null && looked == EVERYWHERE) {
        return EVERYWHERE;
      }
      if (looked != null) {
        table.primaryKey().forEach(column -> named(tuple, table, column));
        return looked;
      }
    }
    // A part of a key says nothing about where its rows lie one by one.
    boolean byRow =
        placement instanceof TablePlacement.RowLookup
            || placement instanceof TablePlacement.RowHash;
    return byRow && !TupleIdentity.isWhole(tuples.identity(tuple))
        ? UNKNOWN
        : rows.node(table, placement, column -> named(tuple, table, column));
  }

  private String named(int tuple, TraceTable table, String column) {
    int place = table.place(column);
    needed[tuple] |= bit(place);
    return tuples.text(tuple, place);
  }

  private static long bit(int place) {
    return place < 0 || place >= Long.SIZE ? 0 : 1L << place;
  }
}
