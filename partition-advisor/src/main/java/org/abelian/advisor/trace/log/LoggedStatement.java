package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a statement and the values of its parameters, as a log entry tells them.
 *
 * @param parameters parameter 1 is at index 0; members may be null
 */
record LoggedStatement(String text, List<String> parameters) {
  /** Parse and bind messages of the extended protocol are logged too, but execute nothing. */
  private static final Pattern MESSAGE =
      Pattern.compile(
          "(?:duration: [0-9.]+ ms  )?(?:statement|execute (?!fetch from )[^:]*): (.*)",
          Pattern.DOTALL);

  private static final Pattern PARAMETERS =
      Pattern.compile("\\s*parameters: (.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /** What an entry executes, or null when it executes nothing. */
  static LoggedStatement of(LogEntry entry) {
    Matcher message = MESSAGE.matcher(entry.message());
    if (!message.matches()) {
      return null;
    }
    return new LoggedStatement(message.group(1), parameters(entry.detail()));
  }

  /** {@code $1 = 'it''s', $2 = NULL}. */
  private static List<String> parameters(String detail) {
    List<String> values = new ArrayList<>();
    Matcher found = detail == null ? null : PARAMETERS.matcher(detail);
    if (found == null || !found.matches()) {
      return values;
    }
    String list = found.group(1);
    int at = 0;
    while (at < list.length() && list.charAt(at) == '$') {
      int equals = list.indexOf(" = ", at);
      if (equals < 0) {
        break;
      }
      at = equals + 3;
      if (at < list.length() && list.charAt(at) == '\'') {
        StringBuilder value = new StringBuilder();
        at = quoted(list, at + 1, value);
        values.add(value.toString());
      } else {
        int end = list.indexOf(',', at);
        values.add(null);
        at = end < 0 ? list.length() : end;
      }
      at += 2;
    }
    return values;
  }

  /** Reads up to the closing quote, and returns the place after it. */
  private static int quoted(String list, int from, StringBuilder value) {
    int at = from;
    while (at < list.length()) {
      if (list.charAt(at) == '\'') {
        if (at + 1 < list.length() && list.charAt(at + 1) == '\'') {
          at++;
        } else {
          return at + 1;
        }
      }
      value.append(list.charAt(at++));
    }
    return at;
  }
}
