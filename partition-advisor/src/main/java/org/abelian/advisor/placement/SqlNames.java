package org.abelian.advisor.placement;

/** Names and texts in statements that people load. */
public final class SqlNames {
  private SqlNames() {}

  /** A name as PostgreSQL reads it. */
  public static String identifier(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** A text as PostgreSQL reads it. */
  public static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
