package org.abelian.router.analysis;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a COPY between a table and the client says.
 *
 * @param client false for files and programs of the node
 * @param columns that each line has, in order
 * @param options by name, in lower case; null for one without a value, which means on
 * @param filtered true when it has a WHERE clause
 */
public record CopyFacts(
    boolean client, List<Column> columns, Map<String, String> options, boolean filtered) {
  /**
   * A column of the table.
   *
   * @param type with its modifier, as PostgreSQL writes it
   */
  public record Column(String name, String type) {}

  /** Copies the collections. */
  public CopyFacts {
    columns = List.copyOf(columns);
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }
}
