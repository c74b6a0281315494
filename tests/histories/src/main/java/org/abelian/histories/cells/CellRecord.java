package org.abelian.histories.cells;

import java.util.List;
import java.util.Map;

/**
 * What a committed transaction has seen and done.
 *
 * @param name the number that it has appended wherever it has
 * @param seen the lists it has read, by cell; a transaction that reads a cell again must see the
 *     same
 * @param appended the cells to which it has appended
 * @param text what it was, for whoever reads a complaint
 */
public record CellRecord(
    long name, Map<Integer, List<Long>> seen, List<Integer> appended, String text) {
  /** Copies. */
  public CellRecord {
    seen = Map.copyOf(seen);
    appended = List.copyOf(appended);
  }
}
