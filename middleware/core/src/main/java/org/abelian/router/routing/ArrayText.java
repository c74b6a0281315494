package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** Arrays as text: {1,NULL,"a \"b\""}. */
public final class ArrayText {
  private final String text;
  private int at;

  private ArrayText(String text) {
    this.text = text;
  }

  /**
   * The elements of all dimensions, in order; null for NULL.
   *
   * @throws AbelianException 22P02 when it is no array
   */
  public static List<String> elements(String text) {
    String trimmed = text.strip();
    int bounds = trimmed.startsWith("[") ? trimmed.indexOf('=') + 1 : 0;
    return new ArrayText(trimmed.substring(bounds).strip()).read();
  }

  private List<String> read() {
    List<String> elements = new ArrayList<>();
    if (text.isEmpty() || text.charAt(0) != '{' || text.charAt(text.length() - 1) != '}') {
      throw malformed();
    }
    while (at < text.length()) {
      char next = text.charAt(at);
      if (next == '{' || next == '}' || next == ',' || Character.isWhitespace(next)) {
        at++;
      } else if (next == '"') {
        elements.add(quoted());
      } else {
        String element = unquoted();
        elements.add(element.equalsIgnoreCase("null") ? null : element);
      }
    }
    return elements;
  }

  private String quoted() {
    StringBuilder element = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char next = text.charAt(at);
      if (next == '"') {
        at++;
        return element.toString();
      }
      if (next == '\\') {
        at++;
        if (at == text.length()) {
          throw malformed();
        }
      }
      element.append(text.charAt(at));
    }
    throw malformed();
  }

  private String unquoted() {
    StringBuilder element = new StringBuilder();
    for (; at < text.length(); at++) {
      char next = text.charAt(at);
      if (next == ',' || next == '}') {
        break;
      }
      if (next == '\\' || next == '"' || next == '{') {
        throw malformed(); // PostgreSQL never writes these without quotes.
      }
      element.append(next);
    }
    return element.toString().strip();
  }

  private AbelianException malformed() {
    return new AbelianException(
        SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"", null);
  }
}
