package org.abelian.parity;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/** Whether two outputs of one statement say the same. */
final class Answers {
  private static final Pattern ORDERED = Pattern.compile("(?i)\\border\\s+by\\b");

  private Answers() {}

  /** Rows may come in any order where the statement asks for none. */
  static boolean same(String statement, List<String> expected, List<String> actual) {
    if (expected == null || actual == null) {
      return expected == actual;
    }
    if (expected.equals(actual)) {
      return true;
    }
    if (expected.size() != actual.size() || ORDERED.matcher(statement).find()) {
      return false;
    }
    return sorted(expected).equals(sorted(actual));
  }

  private static List<String> sorted(List<String> lines) {
    List<String> sorted = new ArrayList<>(lines);
    Collections.sort(sorted);
    return sorted;
  }
}
