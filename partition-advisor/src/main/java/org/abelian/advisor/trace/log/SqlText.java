package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text without its literals, so that statements that differ in nothing else are analysed once.
 * For advice that is good enough: where a parameter in a literal's place means something else, the
 * node refuses the text, and the original one is analysed.
 *
 * @param text with parameters in place of numbers and plain strings
 * @param values of those parameters
 */
record SqlText(String text, List<String> values) {
  private static final Pattern TOKEN =
      Pattern.compile(
          "--[^\\n]*|/\\*.*?\\*/"
              + "|\"(?:[^\"]|\"\")*\""
              + "|\\$([A-Za-z_]\\w*|)\\$.*?\\$\\1\\$"
              + "|\\$\\d+"
              + "|(?:[eEbBxXnN]|[uU]&)'(?:[^'\\\\]|''|\\\\.)*'"
              + "|(?<string>'(?:[^']|'')*')"
              + "|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*"
              + "|(?<number>(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?)",
          Pattern.DOTALL);

  /** Words after which a literal belongs to the grammar: {@code interval '1 day'}. */
  private static final Pattern TYPE_BEFORE =
      Pattern.compile("(?i)(date|time|timestamp|interval|timestamptz|zone|by|precision)\\s*$");

  private static final Pattern SIGN = Pattern.compile("[=(,<>+*/-]\\s*(-)$");

  private static final int MOST_VALUES = 1000;

  /** Takes the literals out. A text that has parameters already is left as it is. */
  static SqlText of(String text) {
    List<String> values = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    Matcher token = TOKEN.matcher(text);
    int from = 0;
    while (token.find()) {
      String found = token.group();
      if (found.startsWith("$") && found.length() > 1 && Character.isDigit(found.charAt(1))) {
        return new SqlText(text, List.of());
      }
      boolean number = token.group("number") != null;
      boolean string = token.group("string") != null;
      if ((number || string)
          && !belongsToGrammar(text, token.start())
          && values.size() < MOST_VALUES) {
        out.append(text, from, token.start());
        found = number && dropSign(out) ? "-" + found : found;
        values.add(number ? found : found.substring(1, found.length() - 1).replace("''", "'"));
        out.append('$').append(values.size());
        from = token.end();
      }
    }
    return new SqlText(out.append(text, from, text.length()).toString(), values);
  }

  /** A minus that is no subtraction belongs to the number; it is taken off the end of the text. */
  private static boolean dropSign(StringBuilder out) {
    Matcher sign = SIGN.matcher(out);
    if (!sign.find()) {
      return false;
    }
    out.setLength(sign.start(1));
    return true;
  }

  private static boolean belongsToGrammar(String text, int at) {
    String before = text.substring(Math.max(0, at - 20), at);
    Matcher type = TYPE_BEFORE.matcher(before);
    return type.find();
  }

  /**
   * What texts have in common that differ only in how many rows they insert, or how many members
   * their lists have.
   */
  static String fingerprint(String shape) {
    return shape
        .replaceAll("[;\\s]+$", "")
        .replaceAll("\\$\\d+", "?")
        .replaceAll("\\?(\\s*,\\s*\\?)+", "?, ...")
        .replaceAll("(\\([^()]*\\))(\\s*,\\s*\\1)+", "$1, ...");
  }

  /** The statements of a script, without those of psql. */
  static List<String> split(String script) {
    String plain = script.replaceAll("(?m)^\\\\.*$", "");
    List<String> statements = new ArrayList<>();
    Matcher token = Pattern.compile(TOKEN.pattern() + "|(?<end>;)", Pattern.DOTALL).matcher(plain);
    int from = 0;
    while (token.find()) {
      if (token.group("end") != null) {
        statements.add(plain.substring(from, token.start()).trim());
        from = token.end();
      }
    }
    statements.add(plain.substring(from).trim());
    statements.removeIf(String::isEmpty);
    return statements;
  }
}
