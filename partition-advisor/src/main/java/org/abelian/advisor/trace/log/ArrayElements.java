package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.List;

/** The elements of an array of one dimension in PostgreSQL's text form; NULLs are left out. */
final class ArrayElements {
  private ArrayElements() {}

  static List<String> of(String text) {
    List<String> elements = new ArrayList<>();
    if (text == null || text.length() < 2 || text.charAt(0) != '{') {
      return elements;
    }
    StringBuilder element = new StringBuilder();
    boolean quoted = false;
    boolean wasQuoted = false;
    for (int i = 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\' && i + 1 < text.length()) {
        element.append(text.charAt(++i));
      } else if (c == '"') {
        quoted = !quoted;
        wasQuoted = true;
      } else if (!quoted && (c == ',' || c == '}')) {
        boolean isNull = !wasQuoted && element.toString().equalsIgnoreCase("null");
        if (!isNull && (wasQuoted || element.length() > 0)) {
          elements.add(element.toString());
        }
        element.setLength(0);
        wasQuoted = false;
      } else {
        element.append(c);
      }
    }
    return elements;
  }
}
