package org.abelian.parity;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds where statements end, line by line, by psql's rules: quotes, comments, parentheses, bodies
 * in BEGIN ATOMIC, backslash commands.
 */
final class PsqlLexer {
  private static final Pattern DOLLAR_QUOTE =
      Pattern.compile("\\G\\$([A-Za-z_\\x80-\\uffff][A-Za-z0-9_\\x80-\\uffff]*)?\\$");
  private static final Pattern WORD =
      Pattern.compile("\\G[A-Za-z_\\x80-\\uffff][A-Za-z0-9_$\\x80-\\uffff]*");

  /** Whether a line ends a statement. */
  enum End {
    NONE,
    STATEMENT
  }

  private String quote; // what ends the literal we are in, or null
  private boolean escapes; // whether a backslash escapes in it
  private int commentDepth;
  private int parentheses;
  private int bodyDepth;
  private boolean createRoutine;
  private int words;
  private boolean content;
  private boolean contentOfEnded;

  /** Whether an empty line would be part of a literal. */
  boolean insideLiteral() {
    return quote != null || commentDepth > 0;
  }

  /** Whether the statement that the last line belongs to has more than comments so far. */
  boolean sawContent() {
    return content || contentOfEnded;
  }

  /** Reads the next line. */
  End line(String line) {
    contentOfEnded = false;
    boolean ended = false;
    int i = 0;
    while (i < line.length()) {
      if (quote != null) {
        i = insideQuote(line, i);
      } else if (commentDepth > 0) {
        i = insideComment(line, i);
      } else if (line.startsWith("--", i)) {
        break;
      } else if (line.startsWith("/*", i)) {
        commentDepth = 1;
        i += 2;
      } else if (line.charAt(i) == '\\' && !line.startsWith("\\;", i)) {
        content = true;
        ended |= endsByBackslash(line, i);
        break;
      } else if (line.charAt(i) == ';' && parentheses == 0 && bodyDepth == 0) {
        ended = true;
        contentOfEnded = true;
        reset();
        i++;
      } else {
        i = outside(line, i);
      }
    }
    if (ended) {
      contentOfEnded = true;
      return End.STATEMENT;
    }
    return End.NONE;
  }

  /**
   * Most backslash commands stand alone or send what is before them; some leave the statement
   * unfinished, as psql's buffer is.
   */
  private boolean endsByBackslash(String line, int at) {
    boolean alone = words == 0 && line.substring(0, at).isBlank();
    String command = line.substring(at + 1);
    boolean sends =
        command.matches("(?s)(g|gx|gset|gexec|gdesc|crosstabview|watch)\\b.*")
            || command.startsWith("g(");
    boolean forgets = command.matches("(?s)r(eset)?\\b.*");
    if (alone || sends || forgets) {
      reset();
      return true;
    }
    return false;
  }

  private int insideQuote(String line, int from) {
    int i = from;
    while (i < line.length()) {
      if (escapes && line.charAt(i) == '\\') {
        i += 2;
      } else if (line.startsWith(quote, i)) {
        i += quote.length();
        if (quote.length() == 1 && line.startsWith(quote, i)) {
          i++;
        } else {
          quote = null;
          return i;
        }
      } else {
        i++;
      }
    }
    return line.length();
  }

  private int insideComment(String line, int at) {
    if (line.startsWith("*/", at)) {
      commentDepth--;
      return at + 2;
    }
    if (line.startsWith("/*", at)) {
      commentDepth++;
      return at + 2;
    }
    return at + 1;
  }

  private int outside(String line, int at) {
    char c = line.charAt(at);
    content |= !Character.isWhitespace(c);
    if (c == '\'' || c == '"') {
      quote = String.valueOf(c);
      escapes =
          c == '\''
              && at > 0
              && (line.charAt(at - 1) == 'E' || line.charAt(at - 1) == 'e')
              && (at < 2 || !Character.isLetterOrDigit(line.charAt(at - 2)));
      return at + 1;
    }
    Matcher dollar = DOLLAR_QUOTE.matcher(line);
    if (c == '$' && dollar.find(at)) {
      quote = dollar.group();
      escapes = false;
      return dollar.end();
    }
    Matcher word = WORD.matcher(line);
    if (word.find(at)) {
      word(word.group().toLowerCase());
      return word.end();
    }
    if (c == '(') {
      parentheses++;
    } else if (c == ')') {
      parentheses = Math.max(0, parentheses - 1);
    }
    return at + 1;
  }

  /** As psql does: BEGIN in CREATE FUNCTION opens a body, CASE in it nests, END closes. */
  private void word(String word) {
    words++;
    if (words == 1) {
      createRoutine = word.equals("create");
    } else if (words <= 4 && createRoutine && bodyDepth == 0) {
      routine |= word.equals("function") || word.equals("procedure");
    }
    if (routine && parentheses == 0) {
      if (word.equals("begin") || (word.equals("case") && bodyDepth > 0)) {
        bodyDepth++;
      } else if (word.equals("end") && bodyDepth > 0) {
        bodyDepth--;
      }
    }
  }

  private boolean routine;

  private void reset() {
    parentheses = 0;
    bodyDepth = 0;
    createRoutine = false;
    routine = false;
    words = 0;
    content = false;
  }
}
