package org.abelian.router.catalog;

/** Where the rows of one table lie. A table without a placement lies on the first node only. */
public sealed interface Placement {
  /**
   * Rows are spread over the nodes by the hash of one column.
   *
   * @param column the distribution column
   * @param key how its values are canonicalised
   */
  record Hash(String column, KeyKind key, Colocation colocation) implements Placement {}

  /** Every node holds all rows. */
  record Reference() implements Placement {}
}
