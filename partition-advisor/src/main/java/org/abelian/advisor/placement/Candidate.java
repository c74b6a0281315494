package org.abelian.advisor.placement;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.trace.TraceTable;

/**
 * A placement of all tables, to be compared with others.
 *
 * @param name short and unique
 * @param title for people
 * @param kind how complicated it is
 * @param tables by schema and name
 */
public record Candidate(String name, String title, Kind kind, Map<String, TablePlacement> tables) {
  /** Kinds of placements, the simplest first. */
  public enum Kind {
    /** As it is. */
    PRESENT,
    /** Each table by the hash of its primary key. */
    PRIMARY_KEY,
    /** Each table by the hash of a column that its keys contain, or replicated. */
    KEYS,
    /** The same by any column; some tables' keys would have to be changed. */
    COLUMNS,
    /** Everything everywhere. */
    REPLICATION,
    /** Ranges and lists of a column's values, or replicated. */
    RANGES,
    /** Decision trees. */
    RULES,
    /** Tables of values of a column. */
    LOOKUP,
    /** Tables of rows. */
    ROW_LOOKUP
  }

  /**
   * Whether create_distributed_table() and create_reference_table() can make it.
   *
   * @param all the tables that it places
   */
  public boolean loadable(Collection<TraceTable> all) {
    return kind == Kind.PRESENT
        || all.stream()
            .allMatch(table -> Distribution.obstacle(table, tables.get(table.id())) == null);
  }

  /** Copies the map. */
  public Candidate {
    tables = new TreeMap<>(tables);
  }
}
