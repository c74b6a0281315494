package org.abelian.server.hba;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a line of pg_hba.conf or pg_ident.conf: fields apart by blanks, each a list of words
 * apart by commas, quoted or not. What is quoted is never a keyword.
 */
final class Words {
  /** One word. */
  record Word(String text, boolean quoted) {
    /** True when it is that keyword. */
    boolean is(String keyword) {
      return !quoted && text.equals(keyword);
    }
  }

  /**
   * A line that says something.
   *
   * @param number of its first line in the file, from 1
   */
  record Line(int number, List<List<Word>> fields) {
    /** The only word of a field. */
    Word word(int field) throws ConfigurationException {
      if (fields.get(field).size() != 1) {
        throw new ConfigurationException(number, "a list is not allowed in field " + (field + 1));
      }
      return fields.get(field).get(0);
    }
  }

  private final String text;
  private final int number;
  private int at;

  private Words(String text, int number) {
    this.text = text;
    this.number = number;
  }

  /** The lines of a file without empty ones and comments; a backslash at the end joins two. */
  static List<Line> lines(String file) throws ConfigurationException {
    List<Line> result = new ArrayList<>();
    String[] raw = file.split("\\R", -1);
    for (int i = 0; i < raw.length; i++) {
      int first = i + 1;
      StringBuilder joined = new StringBuilder(raw[i]);
      while (joined.length() > 0 && joined.charAt(joined.length() - 1) == '\\') {
        joined.setLength(joined.length() - 1);
        i++;
        joined.append(i < raw.length ? raw[i] : "");
      }
      List<List<Word>> fields = new Words(joined.toString(), first).fields();
      if (!fields.isEmpty()) {
        result.add(new Line(first, fields));
      }
    }
    return result;
  }

  private List<List<Word>> fields() throws ConfigurationException {
    List<List<Word>> fields = new ArrayList<>();
    boolean listGoesOn = false;
    while (skipBlanks()) {
      Word word = word();
      if (!listGoesOn) {
        fields.add(new ArrayList<>());
      }
      fields.get(fields.size() - 1).add(word);
      listGoesOn = at < text.length() && text.charAt(at) == ',';
      if (listGoesOn) {
        at++;
      }
    }
    return fields;
  }

  /** False at the end of the line, which a comment is as well. */
  private boolean skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() && text.charAt(at) != '#';
  }

  private Word word() throws ConfigurationException {
    StringBuilder word = new StringBuilder();
    boolean inQuotes = false;
    boolean quoted = false;
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        boolean doubled = inQuotes && at + 1 < text.length() && text.charAt(at + 1) == '"';
        if (doubled) {
          word.append('"');
          at++;
        } else {
          inQuotes = !inQuotes;
          quoted = true;
        }
      } else if (!inQuotes && (c == ',' || c == '#' || Character.isWhitespace(c))) {
        break;
      } else {
        word.append(c);
      }
    }
    if (inQuotes) {
      throw new ConfigurationException(number, "a quoted word does not end");
    }
    return new Word(word.toString(), quoted);
  }
}
