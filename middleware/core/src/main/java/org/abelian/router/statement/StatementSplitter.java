package org.abelian.router.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Guesses where statements end in the text of a simple query, by PostgreSQL's lexical rules:
 * strings, quoted names, dollar quotes, nested comments, parentheses, and the bodies of BEGIN
 * ATOMIC. A text that seems to have several is given to a node, which knows; where no node can be
 * asked, as in a failed transaction, the guess counts.
 */
public final class StatementSplitter {
  private final String text;
  private final boolean standardStrings;
  private int at;

  private StatementSplitter(String text, boolean standardStrings) {
    this.text = text;
    this.standardStrings = standardStrings;
  }

  /**
   * The statements, each with the semicolon that ends it, which PostgreSQL names in errors; blank
   * ones are left out.
   *
   * @param standardStrings true when a backslash in an ordinary string is only a character
   */
  public static List<String> split(String text, boolean standardStrings) {
    return text.indexOf(';') < 0
        ? whole(text)
        : new StatementSplitter(text, standardStrings).split();
  }

  private static List<String> whole(String text) {
    return isBlank(text) ? List.of() : List.of(text);
  }

  private static boolean isBlank(String piece) {
    StatementSplitter scan = new StatementSplitter(piece, true);
    while (scan.at < piece.length()) {
      char c = piece.charAt(scan.at);
      if (c != ';' && !Character.isWhitespace(c) && !scan.skipComment()) {
        return false;
      }
      scan.at++;
    }
    return true;
  }

  private List<String> split() {
    List<String> statements = new ArrayList<>();
    int start = 0;
    int depth = 0;
    int bodies = 0;
    String previousWord = "";
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (skipComment() || skipQuoted(c)) {
        continue;
      }
      if (isNameStart(c)) {
        String word = word();
        if (word.equals("atomic") && previousWord.equals("begin")
            || bodies > 0 && word.equals("case")) {
          bodies++;
        } else if (bodies > 0 && word.equals("end")) {
          bodies--;
        }
        previousWord = word;
        continue;
      }
      if (c == '(' || c == ')') {
        depth += c == '(' ? 1 : -1;
      } else if (c == ';' && depth <= 0 && bodies == 0) {
        add(statements, text.substring(start, at + 1));
        start = at + 1;
        depth = 0;
      }
    }
    add(statements, text.substring(start));
    return statements;
  }

  private static void add(List<String> statements, String piece) {
    if (!isBlank(piece)) {
      statements.add(piece);
    }
  }

  /** Passes over a comment, to its last character; false when there is none here. */
  private boolean skipComment() {
    int end = SqlSpace.skipComment(text, at);
    if (end == at) {
      return false;
    }
    at = end - 1;
    return true;
  }

  /** Passes over a string or quoted name, to its last character; false when there is none here. */
  private boolean skipQuoted(char c) {
    if (c == '\'') {
      boolean escapes = !standardStrings || at > 0 && isEscapePrefix();
      skipTo('\'', escapes);
      return true;
    }
    if (c == '"') {
      skipTo('"', false);
      return true;
    }
    return c == '$' && skipDollarQuote();
  }

  private boolean isEscapePrefix() {
    char before = text.charAt(at - 1);
    return (before == 'e' || before == 'E') && (at < 2 || !isNamePart(text.charAt(at - 2)));
  }

  private void skipTo(char quote, boolean escapes) {
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (escapes && c == '\\') {
        at++;
      } else if (c == quote) {
        return;
      }
    }
  }

  private boolean skipDollarQuote() {
    int tagEnd = at + 1;
    while (tagEnd < text.length()
        && isNamePart(text.charAt(tagEnd))
        && text.charAt(tagEnd) != '$') {
      tagEnd++;
    }
    boolean number = tagEnd > at + 1 && Character.isDigit(text.charAt(at + 1));
    if (tagEnd >= text.length() || text.charAt(tagEnd) != '$' || number) {
      return false;
    }
    String tag = text.substring(at, tagEnd + 1);
    int end = text.indexOf(tag, tagEnd + 1);
    at = end < 0 ? text.length() : end + tag.length() - 1;
    return true;
  }

  private static boolean isNameStart(char c) {
    return Character.isLetter(c) || c == '_';
  }

  private static boolean isNamePart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  /**
   * Reads a word, to its last character. A prefix of a string, such as E in E'..', ends before the
   * quote.
   */
  private String word() {
    int start = at;
    while (at + 1 < text.length() && isNamePart(text.charAt(at + 1))) {
      at++;
    }
    return text.substring(start, at + 1).toLowerCase(Locale.ROOT);
  }
}
