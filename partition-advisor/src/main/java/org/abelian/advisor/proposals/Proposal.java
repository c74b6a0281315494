package org.abelian.advisor.proposals;

/**
 * One key that should lie on another node.
 *
 * @param reason why
 * @param table one of those whose rows have the key; those that are colocated go with it
 * @param key the values of the distribution columns, as a condition
 * @param from the number of the node that has it
 * @param to the number of the node that should have it
 * @param with the key on that node that it is used with most often; null when there is none
 * @param placeable whether abelian.place_key() can place a single key of the table
 * @param before what the trace costs without it, and with the proposals before it
 * @param after what the trace costs with it
 */
public record Proposal(
    Reason reason,
    String table,
    String key,
    int from,
    int to,
    String with,
    boolean placeable,
    Cost before,
    Cost after) {
  /** Why a key should move. */
  public enum Reason {
    /** Transactions that use it with keys of the other node need no second node then. */
    JOIN,
    /** Its node is the busiest, and becomes less so. */
    ISOLATE
  }

  /**
   * What a trace costs.
   *
   * @param distributed the share of transactions that need several nodes
   * @param load accesses of the busiest node over the mean
   */
  public record Cost(double distributed, double load) {}
}
