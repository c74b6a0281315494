package org.abelian.advisor.workload;

/**
 * What makes two accesses touch the same tuple: equal primary keys, or, where only a part of the
 * key is known, equal known attributes.
 */
public final class TupleIdentity {
  /** Between attributes in {@link #ATTRIBUTES}. */
  public static final char SEPARATOR = '\u001f';

  /** An attribute that is not known, in {@link #ATTRIBUTES}. */
  public static final String UNKNOWN = "\u001e";

  /** SQL over a row of accesses: its attributes as one text. */
  public static final String ATTRIBUTES =
      "array_to_string(list_transform(attributes, lambda x: coalesce(x, chr(30))), chr(31))";

  /** SQL over a row of accesses: the identity within the table. */
  public static final String SQL = "coalesce('=' || key, '~' || " + ATTRIBUTES + ")";

  private TupleIdentity() {}

  /** Whether it names one row, rather than all rows with some attributes. */
  public static boolean isWhole(String identity) {
    return identity.charAt(0) == '=';
  }
}
