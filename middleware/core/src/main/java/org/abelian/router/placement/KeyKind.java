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
  DATE
}
