package org.abelian.router.placement;

/**
 * How the values of a distribution column are brought into one canonical form before they are
 * hashed.
 */
public enum KeyKind {
  /** smallint, integer, bigint, and numeric without a fraction: the number. */
  INTEGER,
  /** text and varchar: the bytes in UTF-8. */
  TEXT,
  /** char(n): as text, without trailing blanks, which the type ignores. */
  BLANK_PADDED,
  /** uuid: its 16 bytes. */
  UUID,
  /** boolean: 0 or 1, as a number. */
  BOOLEAN,
  /** date: days since 2000-01-01, as a number. */
  DATE,
  /** timestamp without time zone: the 8 bytes of its microseconds since 2000-01-01. */
  TIMESTAMP,
  /** timestamp with time zone: the same, of the moment in UTC. */
  TIMESTAMPTZ,
  /** time without time zone: the 8 bytes of its microseconds since midnight. */
  TIME,
  /** real and double precision: the 8 bytes of the number; 0 and NaN have one form each. */
  FLOAT,
  /** numeric with digits behind the point: its digits, without zeros that do not count. */
  DECIMAL,
  /** bytea: its bytes. */
  BYTEA;

  /** True when rules and lookups may name its values. Of others there is nothing but the hash. */
  public boolean isNamed() {
    return switch (this) {
      case INTEGER, TEXT, BLANK_PADDED, UUID, BOOLEAN, DATE -> true;
      case TIMESTAMP, TIMESTAMPTZ, TIME, FLOAT, DECIMAL, BYTEA -> false;
    };
  }
}
