package org.abelian.router.catalog;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.error.AbelianException;

/**
 * The type of a distribution column, as far as the hash depends on it.
 *
 * @param kind how values are canonicalised
 * @param lengthMax characters that the column holds, -1 for no limit. An INSERT cuts longer values
 *     that end in blanks
 */
public record KeyType(KeyKind kind, int lengthMax) {
  private static final Pattern FORM = Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:,-?\\d+)?\\))?");

  private static final Map<String, KeyKind> KINDS =
      Map.ofEntries(
          Map.entry("smallint", KeyKind.INTEGER),
          Map.entry("integer", KeyKind.INTEGER),
          Map.entry("bigint", KeyKind.INTEGER),
          Map.entry("numeric", KeyKind.INTEGER),
          Map.entry("text", KeyKind.TEXT),
          Map.entry("character varying", KeyKind.TEXT),
          Map.entry("character", KeyKind.BLANK_PADDED),
          Map.entry("bpchar", KeyKind.BLANK_PADDED),
          Map.entry("uuid", KeyKind.UUID),
          Map.entry("boolean", KeyKind.BOOLEAN),
          Map.entry("date", KeyKind.DATE));

  /** A type without a limit. */
  public static KeyType of(KeyKind kind) {
    return new KeyType(kind, -1);
  }

  /**
   * The type that format_type() names so.
   *
   * @throws AbelianException 0A000 for a type that cannot be a distribution key
   */
  public static KeyType parse(String name) {
    Matcher matcher = FORM.matcher(name);
    KeyKind kind = matcher.matches() ? KINDS.get(matcher.group(1)) : null;
    if (kind == null) {
      throw AbelianException.unsupported(
          "a column of type " + name + " cannot be a distribution key for this router",
          "Use a newer router, or a key of type integer, numeric, text, uuid, boolean or date.");
    }
    boolean limited = kind == KeyKind.TEXT && matcher.group(2) != null;
    return new KeyType(kind, limited ? Integer.parseInt(matcher.group(2)) : -1);
  }
}
