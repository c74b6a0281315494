package org.abelian.advisor.moves;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.catalog.Node;

/**
 * All moves from the present placement to an advised one.
 *
 * @param placement the name of the advised one
 * @param title of it, for people
 * @param nodes of the cluster
 * @param moves by table, node and keys
 * @param tables what becomes of the rows of each table
 * @param notes what is not known
 */
public record MovePlan(
    String placement,
    String title,
    List<Node> nodes,
    List<Move> moves,
    Map<String, Cost> tables,
    List<String> notes) {
  /**
   * What it costs.
   *
   * @param rows of the table, copies not counted
   * @param sent rows that are moved or copied to another node
   * @param deleted copies that are no longer needed
   * @param unplaced rows that the placement cannot have: one of several distribution columns is
   *     NULL
   * @param bytes that are sent, estimated
   */
  public record Cost(long rows, long sent, long deleted, long unplaced, long bytes) {
    /** Nothing. */
    static final Cost NONE = new Cost(0, 0, 0, 0, 0);

    /** Both together. */
    public Cost plus(Cost other) {
      return new Cost(
          rows + other.rows,
          sent + other.sent,
          deleted + other.deleted,
          unplaced + other.unplaced,
          bytes + other.bytes);
    }
  }

  /** Copies the collections. */
  public MovePlan {
    nodes = List.copyOf(nodes);
    moves = List.copyOf(moves);
    tables = new TreeMap<>(tables);
    notes = List.copyOf(notes);
  }

  /** What all tables cost together. */
  public Cost total() {
    return tables.values().stream().reduce(Cost.NONE, Cost::plus);
  }
}
