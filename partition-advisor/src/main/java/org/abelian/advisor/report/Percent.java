package org.abelian.advisor.report;

import java.util.Locale;

/** Shares for people. */
final class Percent {
  private Percent() {}

  /** With one digit after the point. */
  static String of(double share) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * share);
  }

  /** A ratio with two digits. */
  static String ratio(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
