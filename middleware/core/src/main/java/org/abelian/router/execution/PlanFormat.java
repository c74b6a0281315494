package org.abelian.router.execution;

/** The forms in which EXPLAIN gives a plan. */
public enum PlanFormat {
  /** Lines for people, a row for each. */
  TEXT(25),
  /** One JSON document. */
  JSON(114),
  /** One XML document. */
  XML(142),
  /** One YAML document, for which PostgreSQL has no type. */
  YAML(25);

  private final int type;

  PlanFormat(int type) {
    this.type = type;
  }

  /** The OID of the column's type. */
  public int type() {
    return type;
  }
}
