package org.abelian.router.catalog;

/**
 * A unique column of a distributed table that leads to the node of a row. Its entries, one for each
 * row, lie by the hash of their values.
 *
 * @param id of the index, and of the group that places its entries; never used again
 * @param column with the kind of its values
 * @param entries where the entries lie
 * @param rows where the rows of the table lie
 */
public record LookupIndex(
    int id, TableName table, KeyColumn column, Colocation entries, Colocation rows) {
  /** The node of the rows in that partition; -1 when there is none. */
  public int nodeOfRows(int partition) {
    boolean known = partition >= 0 && partition < rows.partitionCount();
    return known ? rows.nodeOf(partition) : -1;
  }
}
