package org.abelian.router.catalog;

/**
 * How the values of a distribution column are brought into one canonical form before they are
 * hashed.
 */
public enum KeyKind {
  /** smallint, integer, bigint, and numeric holding whole numbers. */
  INTEGER,
  /** text and varchar: the bytes in UTF-8. */
  TEXT,
  /** char(n): as text, without trailing blanks, which the type ignores. */
  BLANK_PADDED,
  /** uuid: its lower-case text with hyphens. */
  UUID,
  /** boolean: 't' or 'f'. */
  BOOLEAN,
  /** date: days since 2000-01-01, as an integer. */
  DATE
}
