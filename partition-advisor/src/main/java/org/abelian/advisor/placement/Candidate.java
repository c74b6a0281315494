package org.abelian.advisor.placement;

import java.util.Map;
import java.util.TreeMap;

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
    PRESENT(true),
    /** Each table by the hash of its primary key. */
    PRIMARY_KEY(false),
    /** Each table by the hash of a column that its keys contain, or replicated. */
    KEYS(true),
    /** The same by any column; some tables' keys would have to be changed. */
    COLUMNS(false),
    /** Everything everywhere. */
    REPLICATION(true),
    /** Ranges and lists of a column's values, or replicated. */
    RANGES(false),
    /** Decision trees. */
    RULES(false),
    /** Tables of values of a column. */
    LOOKUP(false),
    /** Tables of rows. */
    ROW_LOOKUP(false);

    private final boolean loadable;

    Kind(boolean loadable) {
      this.loadable = loadable;
    }

    /** Whether create_distributed_table and create_reference_table can say it today. */
    public boolean loadable() {
      return loadable;
    }
  }

  /** Copies the map. */
  public Candidate {
    tables = new TreeMap<>(tables);
  }
}
