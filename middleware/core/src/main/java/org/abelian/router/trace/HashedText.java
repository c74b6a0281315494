package org.abelian.router.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.statement.SqlSpace;

/**
 * A statement's text without comments, and with hashes in place of its literals: as literals, or as
 * parameters if it has some already, so that statements that differ in literals alone still have
 * something in common. Numbers that belong to the grammar stay, as in numeric(10, 2) and ORDER BY
 * 1. Not thread-safe.
 */
final class HashedText {
  /** What literals are written behind to give them a type. */
  private static final Set<String> TYPES =
      Set.of(
          "date",
          "time",
          "timetz",
          "timestamp",
          "timestamptz",
          "interval",
          "int",
          "integer",
          "bigint",
          "smallint",
          "int2",
          "int4",
          "int8",
          "numeric",
          "decimal",
          "real",
          "float4",
          "float8",
          "text",
          "varchar",
          "bpchar",
          "uuid",
          "boolean",
          "bool",
          "bytea",
          "json",
          "jsonb",
          "inet",
          "cidr",
          "money",
          "xml",
          "point");

  /** Types that take numbers in parentheses. */
  private static final Set<String> MODIFIED =
      Set.of(
          "numeric",
          "decimal",
          "dec",
          "varchar",
          "varying",
          "char",
          "character",
          "bpchar",
          "bit",
          "float",
          "time",
          "timetz",
          "timestamp",
          "timestamptz",
          "interval");

  /** More digits are hardly the place of a column. */
  private static final int PLACE_DIGITS = 3;

  private final String sql;
  private final int parameters;
  private final ValueHash hash;
  private final StringBuilder out = new StringBuilder();
  private final List<String> values = new ArrayList<>();
  private int at;

  /** The last word in lower case when nothing but space has come since; else empty. */
  private String word = "";

  /** Where that word begins in the output. */
  private int wordAt;

  /** Whether numbers are places of columns here: after BY, and after a comma behind one. */
  private boolean places;

  private int depth;

  /** The depth of the parentheses of a type; 0 outside of any. */
  private int modifier;

  private HashedText(String sql, int parameters, ValueHash hash) {
    this.sql = sql;
    this.parameters = parameters;
    this.hash = hash;
  }

  /**
   * Takes the literals out.
   *
   * @param parameters how many the text has already; those that take the literals' places come
   *     after them
   * @return null when it is not certain where literals begin and end
   */
  static HashedText of(String sql, int parameters, ValueHash hash) {
    HashedText text = new HashedText(sql, parameters, hash);
    return text.scan() ? text : null;
  }

  /** The text. */
  String text() {
    return out.toString();
  }

  /** What the parameters stand for that have come to its own. */
  List<String> values() {
    return values;
  }

  private boolean scan() {
    while (at < sql.length()) {
      char c = sql.charAt(at);
      boolean known =
          switch (c) {
            case '\'' -> string(at, false);
            case '"' -> quotedName();
            case '$' -> dollar();
            case ' ', '\t', '\n', '\r', '\f' -> keep();
            default -> other(c);
          };
      if (!known) {
        return false;
      }
    }
    return true;
  }

  private boolean keep() {
    out.append(sql.charAt(at++));
    return true;
  }

  private boolean other(char c) {
    int commentEnd = SqlSpace.skipComment(sql, at);
    if (commentEnd > at) {
      at = commentEnd;
      out.append(' ');
      return true;
    }
    if (Character.isDigit(c) || c == '.' && digitAt(at + 1)) {
      return number();
    }
    if (isNamePart(c)) {
      return word();
    }
    if (c == '(') {
      depth++;
      modifier = modifier == 0 && MODIFIED.contains(word) ? depth : modifier;
    } else if (c == ')') {
      modifier = modifier == depth ? 0 : modifier;
      depth--;
    }
    places &= c == ',';
    word = "";
    return keep();
  }

  private boolean digitAt(int place) {
    return place < sql.length() && Character.isDigit(sql.charAt(place));
  }

  /** As PostgreSQL has it, every character beyond ASCII may be part of a name. */
  private static boolean isNamePart(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '_'
        || c == '$'
        || c >= 0x80;
  }

  private boolean word() {
    int from = at;
    while (at < sql.length() && isNamePart(sql.charAt(at))) {
      at++;
    }
    String found = sql.substring(from, at);
    if (at < sql.length() && sql.charAt(at) == '\'' && isPrefix(found)) {
      return string(at, found.equalsIgnoreCase("e"));
    }
    if (sql.startsWith("&'", at) && found.equalsIgnoreCase("u")) {
      return string(at + 1, false);
    }
    word = found.toLowerCase(Locale.ROOT);
    wordAt = out.length();
    places = word.equals("by");
    out.append(found);
    return true;
  }

  private static boolean isPrefix(String word) {
    return word.length() == 1 && "eEbBxXnN".contains(word);
  }

  private boolean quotedName() {
    int from = at++;
    while (at < sql.length() && sql.charAt(at) != '"') {
      at++;
    }
    at++;
    word = "";
    places = false;
    out.append(sql, from, Math.min(at, sql.length()));
    return at <= sql.length();
  }

  /**
   * A string, of which the opening quote stands there.
   *
   * @param escapes whether a backslash takes the meaning of the next character
   * @return false when it does not end, or when it depends on standard_conforming_strings where
   */
  private boolean string(int quote, boolean escapes) {
    StringBuilder value = new StringBuilder();
    boolean ended = false;
    for (at = quote + 1; at < sql.length() && !ended; at++) {
      char c = sql.charAt(at);
      if (c == '\\' && !escapes && at + 1 < sql.length() && sql.charAt(at + 1) == '\'') {
        return false;
      } else if (c == '\\' && escapes) {
        value.append(c);
        at++;
        value.append(at < sql.length() ? sql.charAt(at) : ' ');
      } else if (c != '\'') {
        value.append(c);
      } else if (at + 1 < sql.length() && sql.charAt(at + 1) == '\'') {
        value.append(c);
        at++;
      } else {
        ended = true;
      }
    }
    put(value.toString(), false);
    return ended;
  }

  /** A parameter, or a string in dollar quotes. */
  private boolean dollar() {
    int end = at + 1;
    while (end < sql.length() && isNamePart(sql.charAt(end)) && sql.charAt(end) != '$') {
      end++;
    }
    if (digitAt(at + 1)) {
      out.append(sql, at, end);
      at = end;
      word = "";
      places = false;
      return true;
    }
    if (end >= sql.length() || sql.charAt(end) != '$') {
      return false;
    }
    String tag = sql.substring(at, end + 1);
    int close = sql.indexOf(tag, end + 1);
    if (close < 0) {
      return false;
    }
    put(sql.substring(end + 1, close), false);
    at = close + tag.length();
    return true;
  }

  private boolean number() {
    int from = at;
    digits();
    if (at < sql.length() && sql.charAt(at) == '.') {
      at++;
      digits();
    }
    if (at < sql.length() && (sql.charAt(at) == 'e' || sql.charAt(at) == 'E')) {
      int sign = at + 1 < sql.length() && "+-".indexOf(sql.charAt(at + 1)) >= 0 ? 2 : 1;
      if (digitAt(at + sign)) {
        at += sign;
        digits();
      }
    }
    // Digits of other forms: 0xFF, 1_000.
    while (at < sql.length() && isNamePart(sql.charAt(at))) {
      at++;
    }
    String found = sql.substring(from, at);
    boolean place = places && found.length() <= PLACE_DIGITS;
    if (place || modifier > 0) {
      out.append(found);
      word = "";
      places = place;
      return true;
    }
    put(takeSign() ? "-" + found : found, true);
    return true;
  }

  private void digits() {
    while (at < sql.length() && Character.isDigit(sql.charAt(at))) {
      at++;
    }
  }

  /** A minus that subtracts nothing belongs to the number. */
  private boolean takeSign() {
    int end = out.length() - 1;
    if (end < 0 || out.charAt(end) != '-') {
      return false;
    }
    int before = end - 1;
    while (before >= 0 && Character.isWhitespace(out.charAt(before))) {
      before--;
    }
    boolean sign = before >= 0 && "=(,<>+*/-".indexOf(out.charAt(before)) >= 0;
    if (sign) {
      out.setLength(end);
    }
    return sign;
  }

  /** A hash takes the place of a literal. */
  private void put(String literal, boolean number) {
    String hashed = hash.of(literal, 0);
    String instead;
    if (parameters > 0) {
      values.add(hashed);
      instead = "$" + (parameters + values.size());
    } else {
      instead = number && Character.isDigit(hashed.charAt(0)) ? hashed : "'" + hashed + "'";
    }
    if (TYPES.contains(word)) {
      out.setLength(wordAt);
      out.append("CAST(").append(instead).append(" AS ").append(word).append(')');
    } else {
      out.append(endsInName() ? " " : "").append(instead);
    }
    word = "";
    places = false;
  }

  private boolean endsInName() {
    return !out.isEmpty() && isNamePart(out.charAt(out.length() - 1));
  }
}
