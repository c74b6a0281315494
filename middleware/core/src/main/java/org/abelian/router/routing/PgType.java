package org.abelian.router.routing;

import java.util.Map;
import java.util.UUID;

/**
 * The OIDs of PostgreSQL's built-in types in which a key may be bound; they are part of its wire
 * protocol.
 */
public final class PgType {
  public static final int UNSPECIFIED = 0;
  public static final int BOOL = 16;
  public static final int NAME = 19;
  public static final int REGCLASS = 2205;
  public static final int INT8 = 20;
  public static final int INT2 = 21;
  public static final int INT4 = 23;
  public static final int BYTEA = 17;
  public static final int TEXT = 25;
  public static final int FLOAT4 = 700;
  public static final int FLOAT8 = 701;
  public static final int UNKNOWN = 705;
  public static final int BPCHAR = 1042;
  public static final int VARCHAR = 1043;
  public static final int DATE = 1082;
  public static final int TIME = 1083;
  public static final int TIMESTAMP = 1114;
  public static final int TIMESTAMPTZ = 1184;
  public static final int NUMERIC = 1700;

  /** Users' types have numbers from here on. */
  public static final int FIRST_OF_USERS = 16_384;

  public static final int UUID = 2950;

  private static final Map<Integer, Integer> ELEMENTS =
      Map.ofEntries(
          Map.entry(1000, BOOL),
          Map.entry(1003, NAME),
          Map.entry(1016, INT8),
          Map.entry(1005, INT2),
          Map.entry(1007, INT4),
          Map.entry(1009, TEXT),
          Map.entry(1021, FLOAT4),
          Map.entry(1022, FLOAT8),
          Map.entry(1014, BPCHAR),
          Map.entry(1015, VARCHAR),
          Map.entry(1182, DATE),
          Map.entry(1001, BYTEA),
          Map.entry(1183, TIME),
          Map.entry(1115, TIMESTAMP),
          Map.entry(1185, TIMESTAMPTZ),
          Map.entry(1231, NUMERIC),
          Map.entry(2951, UUID));

  private static final Map<String, Integer> NAMES =
      Map.ofEntries(
          Map.entry("boolean", BOOL),
          Map.entry("bigint", INT8),
          Map.entry("smallint", INT2),
          Map.entry("integer", INT4),
          Map.entry("text", TEXT),
          Map.entry("bpchar", BPCHAR),
          Map.entry("character", BPCHAR),
          Map.entry("character varying", VARCHAR),
          Map.entry("date", DATE),
          Map.entry("bytea", BYTEA),
          Map.entry("time without time zone", TIME),
          Map.entry("timestamp without time zone", TIMESTAMP),
          Map.entry("timestamp with time zone", TIMESTAMPTZ),
          Map.entry("real", FLOAT4),
          Map.entry("double precision", FLOAT8),
          Map.entry("numeric", NUMERIC),
          Map.entry("uuid", UUID));

  private PgType() {}

  /**
   * The type that PostgreSQL writes so; {@link #UNKNOWN} for any other.
   *
   * @param name with a modifier or without
   */
  static int named(String name) {
    return NAMES.getOrDefault(name.replaceFirst("\\(.*?\\)", ""), UNKNOWN);
  }

  /** The element type of an array type; {@link #UNKNOWN} for any other. */
  public static int elementOf(int array) {
    return ELEMENTS.getOrDefault(array, UNKNOWN);
  }
}
