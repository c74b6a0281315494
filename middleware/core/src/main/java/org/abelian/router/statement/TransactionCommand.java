package org.abelian.router.statement;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement that begins or ends a transaction or savepoint. These few are told apart by their
 * text, not by a node's analysis: they must work when the transaction has failed and a node would
 * analyse nothing. A text that is not wholly understood is none of them, and goes the way of all
 * statements.
 *
 * @param savepoint the name of a savepoint, folded as PostgreSQL does; null otherwise
 * @param chain true for AND CHAIN
 * @param isolation what BEGIN asks for, in lower case; null when it asks for nothing
 */
public record TransactionCommand(Kind kind, String savepoint, boolean chain, String isolation) {
  /** What it does. */
  public enum Kind {
    BEGIN,
    COMMIT,
    ROLLBACK,
    SAVEPOINT,
    RELEASE,
    ROLLBACK_TO
  }

  private static final String SPACE = "(?:\\s|--[^\\n]*(?:\\n|$)|/\\*(?:[^*]|\\*(?!/))*\\*/)";
  private static final String NAME = "(?<name>[\\p{L}_][\\p{L}\\p{N}_$]*|\"(?:[^\"]|\"\")+\")";
  private static final String LEVEL =
      "(?:ISOLATION_LEVEL_(?:SERIALIZABLE|REPEATABLE_READ|READ_COMMITTED|READ_UNCOMMITTED)"
          + "|READ_ONLY|READ_WRITE|DEFERRABLE|NOT_DEFERRABLE)";
  private static final String MODES = "(?:_" + LEVEL + "(?:(?:-,-|_)" + LEVEL + ")*)?";
  private static final String WORK = "(?:_(?:WORK|TRANSACTION))?";
  private static final String CHAIN = "(?<chain>_AND_CHAIN|_AND_NO_CHAIN)?";

  private static final Pattern BEGIN = pattern("(?:BEGIN" + WORK + "|START_TRANSACTION)" + MODES);
  private static final Pattern COMMIT = pattern("(?:COMMIT|END)" + WORK + CHAIN);
  private static final Pattern ROLLBACK_TO =
      pattern("ROLLBACK" + WORK + "_TO(?:_SAVEPOINT)?_" + NAME);
  private static final Pattern ROLLBACK = pattern("(?:ROLLBACK|ABORT)" + WORK + CHAIN);
  private static final Pattern SAVEPOINT = pattern("SAVEPOINT_" + NAME);
  private static final Pattern RELEASE = pattern("RELEASE(?:_SAVEPOINT)?_" + NAME);
  private static final Pattern ISOLATION =
      Pattern.compile(
          "(SERIALIZABLE|REPEATABLE\\s+READ|READ\\s+(?:UN)?COMMITTED)", Pattern.CASE_INSENSITIVE);
  private static final int LONGEST = 400;

  /** In the templates, _ is white space that must be there and - white space that may. */
  private static Pattern pattern(String template) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < template.length(); i++) {
      char c = template.charAt(i);
      if (template.startsWith(NAME, i)) {
        regex.append(NAME);
        i += NAME.length() - 1;
      } else if (c == '_') {
        regex.append(SPACE).append('+');
      } else if (c == '-') {
        regex.append(SPACE).append('*');
      } else {
        regex.append(c);
      }
    }
    return Pattern.compile(
        SPACE + "*" + regex + "(?:" + SPACE + "|;)*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  /** The command, or null when the text is something else. */
  public static TransactionCommand of(String sql) {
    if (sql.length() > LONGEST) {
      return null;
    }
    switch (firstLetter(sql)) {
      case 'b':
        return begin(sql);
      case 's':
        TransactionCommand begin = begin(sql);
        return begin != null ? begin : named(SAVEPOINT, Kind.SAVEPOINT, sql);
      case 'c':
      case 'e':
        return ending(COMMIT, Kind.COMMIT, sql);
      case 'a':
        return ending(ROLLBACK, Kind.ROLLBACK, sql);
      case 'r':
        TransactionCommand rollback = ending(ROLLBACK, Kind.ROLLBACK, sql);
        if (rollback != null) {
          return rollback;
        }
        TransactionCommand release = named(RELEASE, Kind.RELEASE, sql);
        return release != null ? release : named(ROLLBACK_TO, Kind.ROLLBACK_TO, sql);
      default:
        return null;
    }
  }

  /** The first letter in lower case; comments and white space are passed over. */
  private static char firstLetter(String sql) {
    int at = 0;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (sql.startsWith("--", at)) {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end + 1;
      } else if (sql.startsWith("/*", at)) {
        int end = sql.indexOf("*/", at);
        at = end < 0 ? sql.length() : end + 2;
      } else {
        return Character.toLowerCase(c);
      }
    }
    return ' ';
  }

  private static TransactionCommand begin(String sql) {
    if (!BEGIN.matcher(sql).matches()) {
      return null;
    }
    Matcher isolation = ISOLATION.matcher(sql);
    String level = null;
    while (isolation.find()) {
      level = isolation.group(1).toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    }
    return new TransactionCommand(Kind.BEGIN, null, false, level);
  }

  private static TransactionCommand ending(Pattern pattern, Kind kind, String sql) {
    Matcher matcher = pattern.matcher(sql);
    if (!matcher.matches()) {
      return null;
    }
    String chain = matcher.group("chain");
    boolean chains = chain != null && !chain.toUpperCase(Locale.ROOT).contains("NO");
    return new TransactionCommand(kind, null, chains, null);
  }

  private static TransactionCommand named(Pattern pattern, Kind kind, String sql) {
    Matcher matcher = pattern.matcher(sql);
    if (!matcher.matches()) {
      return null;
    }
    String name = matcher.group("name");
    String folded =
        name.startsWith("\"")
            ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
            : name.toLowerCase(Locale.ROOT);
    return new TransactionCommand(kind, folded, false, null);
  }
}
