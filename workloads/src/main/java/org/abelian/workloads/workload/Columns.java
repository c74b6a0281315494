package org.abelian.workloads.workload;

import java.util.Locale;

/** Which column types a workload's contended values have. */
public enum Columns {
  /** PostgreSQL's own. */
  PLAIN,
  /** Types whose operations commute. */
  ABELIAN;

  /** As tables and options name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** One of two texts. */
  public String choose(String plain, String abelian) {
    return this == PLAIN ? plain : abelian;
  }
}
