package org.abelian.advisor.sample;

import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.TablePlacement;

/**
 * The placement that the literature uses for a benchmark, to compare advice with.
 *
 * @param tables by schema and name
 * @param lookups the maps that they name
 */
public record Manual(Map<String, TablePlacement> tables, Lookups lookups) {
  /** Copies the map. */
  public Manual {
    tables = new TreeMap<>(tables);
  }

  /** Nothing placed yet. */
  static Manual empty() {
    return new Manual(Map.of(), new Lookups());
  }

  Manual hash(String table, String column) {
    return with(table, new TablePlacement.Hash(column));
  }

  Manual lookup(String table, String column, String map) {
    return with(table, new TablePlacement.Lookup(column, map));
  }

  Manual replicate(String... names) {
    Manual more = this;
    for (String table : names) {
      more = more.with(table, new TablePlacement.Reference());
    }
    return more;
  }

  private Manual with(String table, TablePlacement placement) {
    Map<String, TablePlacement> more = new TreeMap<>(tables);
    more.put("public." + table, placement);
    return new Manual(more, lookups);
  }
}
