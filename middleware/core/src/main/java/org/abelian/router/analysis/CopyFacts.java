package org.abelian.router.analysis;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a COPY says.
 *
 * @param client false for files and programs of the node
 * @param columns that each line has, in order
 * @param options by name, in lower case; null for one without a value, which means on
 * @param filtered true when it has a WHERE clause into which the node has not looked
 * @param out of COPY TO the client; null for others, and when PostgreSQL refuses it
 * @param refused true when PostgreSQL refuses to copy from what it names
 */
public record CopyFacts(
    boolean client,
    List<Column> columns,
    Map<String, String> options,
    boolean filtered,
    CopyOutFacts out,
    boolean refused) {
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
