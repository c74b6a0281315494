package org.abelian.workloads.hotrow;

import java.util.Locale;

/** Type of the column that all clients add to. */
enum Column {
  PLAIN("bigint"),
  COUNTER("abelian.counter");

  private final String sqlType;

  Column(String sqlType) {
    this.sqlType = sqlType;
  }

  String sqlType() {
    return sqlType;
  }

  String table() {
    return "hotrow_" + name().toLowerCase(Locale.ROOT);
  }
}
