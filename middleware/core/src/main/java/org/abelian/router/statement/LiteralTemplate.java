package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.TextValues;

/**
 * The text of a statement with parameters in the places of its literals, which many texts have in
 * common: clients that write values into their statements send another text each time. A parameter
 * has the type that PostgreSQL gives the literal, so the two mean the same wherever the grammar
 * allows a parameter; where it does not, a node refuses the template, and nothing is lost.
 *
 * <p>Literals are read as under {@code standard_conforming_strings}; a text with a backslash, or
 * with parameters of its own, has no template.
 */
final class LiteralTemplate {
  private static final int LONGEST = 1 << 14;
  private static final int LITERALS_MAX = 300;

  private static final int UNKNOWN = 0;
  private static final int INT8 = 20;
  private static final int INT4 = 23;
  private static final int NUMERIC = 1700;

  /** Longer ones are numeric. */
  private static final int INT8_DIGITS = 18;

  private final String text;
  private final StringBuilder template = new StringBuilder();
  private final List<Integer> types = new ArrayList<>();
  private final List<String> values = new ArrayList<>();
  private int at;

  /** Up to where the text is in the template. */
  private int copied;

  /** Whether there may be a list of columns: {@code GROUP BY 1, 2} has no parameters. */
  private boolean lists;

  /** Whether what comes next begins an item of a list. */
  private boolean begins;

  /** Whether ON CONFLICT may find its index by what a literal says. */
  private boolean infers;

  /** The last character that is no part of a word or literal. */
  private char symbol;

  /** Where it ended. */
  private int symbolEnd;

  /** Where the last literal ended that is a string. */
  private int stringEnd = -1;

  private LiteralTemplate(String text) {
    this.text = text;
  }

  /** The template of a text without parameters; null when it has none. */
  static LiteralTemplate of(String text) {
    if (text.length() > LONGEST || text.indexOf('\\') >= 0 || text.indexOf('$') >= 0) {
      return null;
    }
    LiteralTemplate scan = new LiteralTemplate(text);
    return scan.read() && !scan.values.isEmpty() ? scan : null;
  }

  /** The text with its parameters' types. */
  NodeStatement statement() {
    return NodeStatement.of(template.toString(), types);
  }

  /** What the literals say. */
  BoundValues values() {
    return TextValues.of(values.toArray(String[]::new));
  }

  /** False when PostgreSQL may want to know a literal before the statement runs. */
  boolean isBindable() {
    return !infers;
  }

  /** The same, for a Bind message. */
  List<ByteQueue> queues() {
    return values.stream()
        .map(value -> ByteQueue.of(value.getBytes(StandardCharsets.UTF_8)))
        .toList();
  }

  /** False when the text cannot be read to its end, or has too many literals. */
  private boolean read() {
    while (at < text.length() && values.size() <= LITERALS_MAX) {
      char c = text.charAt(at);
      int comment = SqlSpace.skipComment(text, at);
      if (comment > at) {
        at = comment;
      } else if (c == '"') {
        at = closing('"') + 1;
        begins = false;
      } else if (c == '\'') {
        if (!string()) {
          return false;
        }
      } else if (isDigit(c) || c == '.' && isDigit(charAt(at + 1))) {
        if (!number()) {
          return false;
        }
      } else if (isNamePart(c)) {
        word();
      } else {
        symbol(c);
        at++;
      }
    }
    template.append(text, copied, text.length());
    return at == text.length() && values.size() <= LITERALS_MAX;
  }

  /** A name, or the prefix of a string that is no ordinary one, with that string. */
  private void word() {
    int start = at;
    while (isNamePart(charAt(at))) {
      at++;
    }
    String word = text.substring(start, at);
    begins = word.equalsIgnoreCase("by") || word.equalsIgnoreCase("on");
    lists |= word.equalsIgnoreCase("by") || word.equalsIgnoreCase("distinct");
    infers |= word.equalsIgnoreCase("conflict");
    boolean unicode = charAt(at) == '&' && charAt(at + 1) == '\'';
    if (charAt(at) == '\'' || unicode) {
      at += unicode ? 1 : 0;
      at = closing('\'') + 1;
      stringEnd = at;
    }
  }

  private void symbol(char c) {
    if (c == ',' || c == '(') {
      begins = true;
    } else if (c != '-' && c != '+' && !Character.isWhitespace(c)) {
      begins = false;
    }
    if (!Character.isWhitespace(c)) {
      symbol = c;
      symbolEnd = at + 1;
    }
  }

  /**
   * True of a number that is of another type than without the sign before it: -2147483648 is an
   * integer.
   */
  private boolean isSigned(int type) {
    boolean large = type == INT8 || type == NUMERIC;
    return symbol == '-' && large && SqlSpace.skip(text, symbolEnd) == at;
  }

  /** Strings that stand one after the other may be one. */
  private boolean string() {
    int start = at;
    boolean follows = stringEnd >= 0 && SqlSpace.skip(text, stringEnd) == start;
    int end = closing('\'');
    if (follows || end >= text.length()) {
      return false;
    }
    add(start, end + 1, UNKNOWN, text.substring(start + 1, end).replace("''", "'"));
    stringEnd = at;
    return true;
  }

  /** The index of the quote that ends what begins here; doubled ones are part of it. */
  private int closing(char quote) {
    int end = text.indexOf(quote, at + 1);
    while (end >= 0 && end + 1 < text.length() && text.charAt(end + 1) == quote) {
      end = text.indexOf(quote, end + 2);
    }
    return end < 0 ? text.length() : end;
  }

  /** False for what is no decimal number to every version of PostgreSQL. */
  private boolean number() {
    int end = at;
    boolean whole = true;
    while (isDigit(charAt(end)) || charAt(end) == '.') {
      whole &= charAt(end) != '.';
      end++;
    }
    String digits = text.substring(at, end);
    if (isNamePart(charAt(end)) || digits.indexOf('.') != digits.lastIndexOf('.')) {
      return false;
    }
    add(at, end, whole ? wholeType(digits) : NUMERIC, digits);
    return true;
  }

  private static int wholeType(String digits) {
    if (digits.length() > INT8_DIGITS) {
      return NUMERIC;
    }
    return Long.parseLong(digits) > Integer.MAX_VALUE ? INT8 : INT4;
  }

  private void add(int start, int end, int type, String value) {
    boolean column = lists && begins;
    begins = false;
    if (column || isSigned(type)) {
      at = end;
      return;
    }
    types.add(type);
    values.add(value);
    template.append(text, copied, start).append('$').append(types.size());
    at = end;
    copied = end;
  }

  private char charAt(int index) {
    return index < text.length() ? text.charAt(index) : 0;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNamePart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c > 127;
  }
}
