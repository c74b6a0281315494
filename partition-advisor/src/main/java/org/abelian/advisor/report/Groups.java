package org.abelian.advisor.report;

import java.util.Map;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.KeyType;
import org.abelian.advisor.trace.TraceTable;

/**
 * Which tables are colocated by a placement.
 *
 * @param candidate the placement
 * @param numbers of groups whose keys mean the same, by table
 */
record Groups(Candidate candidate, Map<String, Integer> numbers) {
  /** A name of a table's group. Keys of different kinds are hashed differently, and lie apart. */
  String of(TraceTable table) {
    Integer number = numbers.get(table.id());
    TablePlacement.Hash hash = (TablePlacement.Hash) candidate.tables().get(table.id());
    return number == null
        ? "only " + table.id()
        : number + " " + KeyType.of(table.attributes().get(table.place(hash.column())).type());
  }

  /** Whether a foreign key may refer to a row of another node. */
  boolean crosses(TraceTable table, TraceTable.ForeignKey key) {
    TablePlacement mine = candidate.tables().get(table.id());
    TablePlacement other = candidate.tables().get(key.table());
    if (other == null || other instanceof TablePlacement.Reference) {
      return other == null;
    }
    return !(mine instanceof TablePlacement.Hash from
        && other instanceof TablePlacement.Hash to
        && key.maps(from.column(), to.column())
        && numbers.get(table.id()) != null
        && numbers.get(table.id()).equals(numbers.get(key.table())));
  }
}
