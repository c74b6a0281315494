package org.abelian.workloads.commit;

/** The two additions, and the column that they are made on. */
enum Body {
  /** An ordinary bigint, whose writers wait for each other. */
  PLAIN("plain", "bench_add_plain"),
  /** A counter. */
  COUNTER("n", "bench_add_counter");

  static final String TABLE = "bench_commit";

  private final String column;
  private final String procedure;

  Body(String column, String procedure) {
    this.column = column;
    this.procedure = procedure;
  }

  /** The statement of one addition. */
  String update(String key) {
    return "UPDATE " + TABLE + " SET " + column + " = " + column + " + 1 WHERE k = " + key;
  }

  /** The statement of both. */
  String call() {
    return "CALL " + procedure + "(?, ?)";
  }

  String drop() {
    return "DROP PROCEDURE IF EXISTS " + procedure;
  }

  /** In PL/pgSQL, which keeps the plans of a body; a body in SQL is planned for each call. */
  String create() {
    return "CREATE PROCEDURE "
        + procedure
        + "(one integer, other integer) LANGUAGE plpgsql AS $$ BEGIN "
        + update("one")
        + "; "
        + update("other")
        + "; END $$";
  }

  /**
   * The declaration. That a bigint may overflow makes the analysis call its additions coordinated;
   * here it cannot, so the class is promised.
   */
  String declare() {
    String promise = this == PLAIN ? ", class => 'independent', unsafe => true" : "";
    return "SELECT create_distributed_procedure('"
        + procedure
        + "(integer, integer)', 'one, other', colocate_with => '"
        + TABLE
        + "'"
        + promise
        + ")";
  }
}
