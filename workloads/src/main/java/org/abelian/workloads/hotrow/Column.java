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

  /** The table that a load works on; what is read is not changed by others meanwhile. */
  String table(Load load) {
    return table(load.isRead());
  }

  String table(boolean forReading) {
    return (forReading ? "hotrow_read_" : "hotrow_") + name().toLowerCase(Locale.ROOT);
  }
}
