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
 * @param foreignKeys what it refers to
 * @param rowBytes bytes of a row, estimated
 */
public record TraceTable(
    String schema,
    String name,
    List<List<String>> keys,
    List<Attribute> attributes,
    List<ForeignKey> foreignKeys,
    long rowBytes) {
  /**
   * A column.
   *
   * @param type as format_type() gives it
   * @param nullable whether rows may have NULL in it
   */
  public record Attribute(String name, String type, boolean nullable) {
    /** One that all rows have. */
    public Attribute(String name, String type) {
      this(name, type, false);
    }
  }

  /**
   * A foreign key.
   *
   * @param name of the constraint
   * @param columns of this table
   * @param table the other table's schema and name
   * @param referenced the other table's columns, in the same order
   */
  public record ForeignKey(
      String name, List<String> columns, String table, List<String> referenced) {
    /** Copies the lists. */
    public ForeignKey {
      columns = List.copyOf(columns);
      referenced = List.copyOf(referenced);
    }

    /** Whether it makes a column equal to one of the other table. */
    public boolean maps(String column, String other) {
      int place = columns.indexOf(column);
      return place >= 0 && referenced.get(place).equals(other);
    }
  }

  /** Copies the lists. */
  public TraceTable {
    keys = keys.stream().map(List::copyOf).toList();
    attributes = List.copyOf(attributes);
    foreignKeys = foreignKeys == null ? List.of() : List.copyOf(foreignKeys);
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

  /** Whether create_distributed_table() takes the column: all unique keys have it. */
  public boolean canDistribute(String column) {
    return place(column) >= 0
        && KeyType.of(attributes.get(place(column)).type()) != null
        && keys.stream().allMatch(key -> key.contains(column));
  }
}
