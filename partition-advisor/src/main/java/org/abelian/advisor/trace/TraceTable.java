package org.abelian.advisor.trace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;

/**
 * A table of a trace.
 *
 * @param schema its schema
 * @param name its name
 * @param keys the columns of its unique keys; the primary key is the first. Empty when it has none
 * @param attributes the columns that keys and WHERE clauses use, and their types; accesses give
 *     their values in this order
 * @param rowBytes bytes of a row, estimated
 */
public record TraceTable(
    String schema,
    String name,
    List<List<String>> keys,
    List<Attribute> attributes,
    long rowBytes) {
  /**
   * A column.
   *
   * @param type as format_type() gives it
   */
  public record Attribute(String name, String type) {}

  /** Copies the lists. */
  public TraceTable {
    keys = keys.stream().map(List::copyOf).toList();
    attributes = List.copyOf(attributes);
  }

  /** Schema and name, by which accesses name it. */
  @JsonIgnore
  public String id() {
    return schema + "." + name;
  }

  /** The columns of the primary key; empty when there is none. */
  @JsonIgnore
  public List<String> primaryKey() {
    return keys.isEmpty() ? List.of() : keys.get(0);
  }

  /** The place of an attribute, or -1. */
  public int place(String column) {
    for (int i = 0; i < attributes.size(); i++) {
      if (attributes.get(i).name().equals(column)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether every unique key has the column, as the router asks of a distribution column. */
  public boolean inEveryKey(String column) {
    return keys.stream().allMatch(key -> key.contains(column));
  }
}
