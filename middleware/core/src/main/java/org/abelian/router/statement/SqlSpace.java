package org.abelian.router.statement;

/** What PostgreSQL passes over between the words of a statement: white space and comments. */
public final class SqlSpace {
  private static final String SPACE = " \t\r\n\f";

  private SqlSpace() {}

  /** The index of the next character, from an index on, that means something; or the end. */
  static int skip(String sql, int from) {
    int at = from;
    while (at < sql.length()) {
      int end = SPACE.indexOf(sql.charAt(at)) >= 0 ? at + 1 : skipComment(sql, at);
      if (end == at) {
        return at;
      }
      at = end;
    }
    return at;
  }

  /** The end of the comment that begins at an index; the index itself when none does. */
  public static int skipComment(String sql, int at) {
    if (sql.startsWith("--", at)) {
      return lineEnd(sql, at);
    }
    return sql.startsWith("/*", at) ? commentEnd(sql, at) : at;
  }

  private static int lineEnd(String sql, int from) {
    int at = from;
    while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
      at++;
    }
    return at;
  }

  /** Comments nest. */
  private static int commentEnd(String sql, int from) {
    int at = from;
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
    return at;
  }
}
