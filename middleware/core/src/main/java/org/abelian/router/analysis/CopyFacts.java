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
 * @param forceNull the columns in which quoted text may stand for NULL as well
 * @param forceNotNull the columns in which nothing stands for NULL
 * @param filtered true when it has a WHERE clause into which the node has not looked
 * @param added columns that it leaves out and whose values the router has to bring; null for none
 * @param out of COPY TO the client; null for others, and when PostgreSQL refuses it
 * @param refused true when PostgreSQL refuses to copy from what it names
 * @param skipsErrors true when it leaves out rows with values that cannot be read
 */
public record CopyFacts(
    boolean client,
    List<Column> columns,
    Map<String, String> options,
    List<String> forceNull,
    List<String> forceNotNull,
    boolean filtered,
    Addition added,
    CopyOutFacts out,
    boolean refused,
    boolean skipsErrors) {
  /**
   * A column of the table.
   *
   * @param type with its modifier, as PostgreSQL writes it
   */
  public record Column(String name, String type) {}

  /**
   * Columns that lines get before their own.
   *
   * @param text the statement with these columns
   * @param same computes the first of them, of which all lines have the same values; null for none
   * @param each computes the others, as many rows as its parameter says; null for none
   */
  public record Addition(
      String text, List<Column> columns, ComputedFacts same, ComputedFacts each) {
    /** Copies the list. */
    public Addition {
      columns = List.copyOf(columns);
    }
  }

  /** Copies the collections. */
  public CopyFacts {
    columns = List.copyOf(columns);
    forceNull = List.copyOf(forceNull);
    forceNotNull = List.copyOf(forceNotNull);
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }
}
