package org.abelian.router.routing;

/**
 * The OIDs of PostgreSQL's built-in types in which a key may be bound; they are part of its wire
 * protocol.
 */
final class PgType {
  static final int UNSPECIFIED = 0;
  static final int BOOL = 16;
  static final int INT8 = 20;
  static final int INT2 = 21;
  static final int INT4 = 23;
  static final int TEXT = 25;
  static final int FLOAT4 = 700;
  static final int FLOAT8 = 701;
  static final int UNKNOWN = 705;
  static final int BPCHAR = 1042;
  static final int VARCHAR = 1043;
  static final int DATE = 1082;
  static final int NUMERIC = 1700;
  static final int UUID = 2950;

  private PgType() {}
}
