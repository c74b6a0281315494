package org.abelian.router.catalog;

import java.util.List;
import java.util.stream.Collectors;

/** Where the rows of one table lie. A table without a placement lies on the first node only. */
public sealed interface Placement {
  /**
   * Rows are spread over the nodes by some of their columns.
   *
   * @param columns the distribution columns, in the order that the group's function takes them; at
   *     least one
   */
  record Distributed(List<KeyColumn> columns, Colocation colocation) implements Placement {
    /** Copies the list. */
    public Distributed {
      if (columns.isEmpty()) {
        throw new IllegalArgumentException("a distributed table has a distribution column");
      }
      columns = List.copyOf(columns);
    }

    /** True when one column says where a row lies. */
    public boolean hasOneColumn() {
      return columns.size() == 1;
    }

    /** The names of the columns, as people write them in a list. */
    public String columnNames() {
      return columns.stream().map(KeyColumn::name).collect(Collectors.joining(", "));
    }

    /** True when rows of both tables with equal values of these columns lie together. */
    public boolean liesWith(Distributed other) {
      if (colocation.id() != other.colocation.id() || columns.size() != other.columns.size()) {
        return false;
      }
      for (int at = 0; at < columns.size(); at++) {
        if (!columns.get(at).countsAs(other.columns.get(at))) {
          return false;
        }
      }
      return true;
    }
  }

  /** Every node holds all rows. */
  record Reference() implements Placement {}
}
