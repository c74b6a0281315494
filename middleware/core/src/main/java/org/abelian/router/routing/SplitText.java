package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.analysis.Span;

/**
 * The text of a multi-row INSERT in pieces.
 *
 * @param text all of the query text, in UTF-8
 * @param statement where the INSERT stands; length 0 means up to the end
 * @param values where all its rows stand
 * @param rows where each row stands
 */
record SplitText(byte[] text, Span statement, Span values, List<Span> rows) {
  /** The INSERT with only these rows. */
  String withRows(List<Integer> chosen) {
    StringBuilder part = new StringBuilder();
    part.append(piece(statement.offset(), values.offset()));
    String separator = "";
    for (int row : chosen) {
      Span span = rows.get(row);
      part.append(separator).append(piece(span.offset(), span.end()));
      separator = ", ";
    }
    int end = statement.length() > 0 ? statement.end() : text.length;
    return part.append(piece(values.end(), end)).toString();
  }

  private String piece(int from, int to) {
    return new String(text, from, to - from, StandardCharsets.UTF_8);
  }
}
