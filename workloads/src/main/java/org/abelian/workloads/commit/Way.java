package org.abelian.workloads.commit;

/** How a transaction over two nodes is committed. Those on one node always use its own COMMIT. */
enum Way {
  /** One round without prepare. */
  COMMUTING("commuting", "n"),
  /** Work and PREPARE in one round, the decision in the next; on plain columns. */
  COORDINATED("coordinated", "plain"),
  /** The same on Abelian columns, whose writers do not wait for each other. */
  COORDINATED_COUNTERS("coordinated counters", "n"),
  /** Statement by statement through the router, which commits as commuting. */
  ROUTER_COMMUTING("router commuting", "n"),
  /** Statement by statement through the router, which is told to coordinate. */
  ROUTER_COORDINATED("router coordinated", "n");

  private final String label;
  private final String column;

  Way(String label, String column) {
    this.label = label;
    this.column = column;
  }

  /** The column that is added to. */
  String column() {
    return column;
  }

  /** Whether a router stands between. */
  boolean isRouted() {
    return this == ROUTER_COMMUTING || this == ROUTER_COORDINATED;
  }

  @Override
  public String toString() {
    return label;
  }
}
