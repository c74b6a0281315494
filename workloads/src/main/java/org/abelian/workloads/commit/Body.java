package org.abelian.workloads.commit;

import org.abelian.workloads.pair.PairProcedure;

/** The two additions, and the column that they are made on. */
enum Body {
  /**
   * An ordinary bigint, whose writers wait for each other. That it may overflow makes the analysis
   * call its additions coordinated; here it cannot, so the class is promised.
   */
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

  /** What makes both. */
  PairProcedure procedure() {
    return new PairProcedure(
        procedure, TABLE, false, update("one"), update("other"), this == PLAIN);
  }
}
