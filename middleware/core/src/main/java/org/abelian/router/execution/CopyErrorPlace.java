package org.abelian.router.execution;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The line of a COPY in the context of a node's error. No field of an error has its number, so the
 * text is looked at, in whatever language the node writes it: all of them name the table first, and
 * then the line.
 */
final class CopyErrorPlace {
  private static final Pattern SHOWN =
      Pattern.compile("[\\p{L}\\p{M}\\s]{0,12}:[\\s\\u00a0]?[\"«»„]\\u00a0?");

  private final Pattern pattern;

  /** Of a COPY into that table. */
  CopyErrorPlace(String table) {
    pattern =
        Pattern.compile(
            "(?m)^(?:\\p{L}{1,12} )?" + Pattern.quote(table) + "[\\p{L}\\p{M} ,、]{1,24}?([0-9]+)");
  }

  /**
   * Where the number stands.
   *
   * @return the matcher, whose first group is the number; null when there is none
   */
  Matcher find(String context) {
    Matcher matcher = pattern.matcher(context == null ? "" : context);
    return matcher.find() ? matcher : null;
  }

  /**
   * Where the text of the line begins, which may stand behind its number.
   *
   * @return 0 when it does not
   */
  static int shown(String behind) {
    Matcher matcher = SHOWN.matcher(behind);
    return matcher.lookingAt() ? matcher.end() : 0;
  }
}
