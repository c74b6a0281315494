package org.abelian.advisor.moves;

/**
 * Rows that would go from one node to another.
 *
 * @param action what happens to them
 * @param table schema and name
 * @param keys which rows of the node: a key, a condition, or the partition of a hash
 * @param from the number of the node that has them
 * @param to the number of the node that gets them; 0 when none does
 * @param rows how many
 */
public record Move(Action action, String table, String keys, int from, int to, long rows) {
  /** What happens to rows. */
  public enum Action {
    /** They are on another node afterwards. */
    MOVE,
    /** They are on both afterwards. */
    COPY,
    /** They are on this node no more; another has them already. */
    DELETE
  }
}
