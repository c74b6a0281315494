package org.abelian.workloads.commit;

/**
 * How a transaction over two nodes is run and committed. Those on one node always use its own
 * COMMIT.
 */
enum Way {
  /** A call whose participants decide alike, in the order of their lanes. */
  INDEPENDENT("independent", Body.PLAIN, Form.CALL, "independent"),
  /** A call of blind operations that commute. */
  COMMUTING("commuting", Body.COUNTER, Form.CALL, "commuting"),
  /** The same call by two-phase commit, the votes with the work. */
  COORDINATED("coordinated", Body.PLAIN, Form.CALL, "coordinated"),
  /** The same on Abelian columns, whose writers do not wait for each other. */
  COORDINATED_COUNTERS("coordinated counters", Body.COUNTER, Form.CALL, "coordinated"),
  /** Two-phase commit by hand, without a router. */
  HANDMADE("handmade coordinated", Body.PLAIN, Form.HANDMADE, "coordinated"),
  /** Statement by statement, on columns whose additions commute. */
  INTERACTIVE_COMMUTING("interactive commuting", Body.COUNTER, Form.STATEMENTS, "commuting"),
  /** Statement by statement. */
  INTERACTIVE_COORDINATED("interactive coordinated", Body.PLAIN, Form.STATEMENTS, "coordinated");

  /** How the client says what it wants. */
  enum Form {
    /** One CALL of the procedure, through the driver. */
    CALL,
    /** BEGIN, each UPDATE, COMMIT, through the driver. */
    STATEMENTS,
    /** Messages to the nodes, past the router. */
    HANDMADE
  }

  private final String label;
  private final Body body;
  private final Form form;
  private final String commitClass;

  Way(String label, Body body, Form form, String commitClass) {
    this.label = label;
    this.body = body;
    this.form = form;
    this.commitClass = commitClass;
  }

  /** What is done. */
  Body body() {
    return body;
  }

  /** How it is said. */
  Form form() {
    return form;
  }

  /** The commit class that a transaction over two nodes takes, by the router's name. */
  String commitClass() {
    return commitClass;
  }

  @Override
  public String toString() {
    return label;
  }
}
