package org.abelian.advisor.placement;

/** Texts of numbers. */
public final class Numbers {
  private Numbers() {}

  /** The number that a text is, or null. */
  public static Double parse(String text) {
    if (text == null || text.isEmpty() || text.length() > 30) {
      return null;
    }
    char first = text.charAt(0);
    // Java would also read "Infinity", "1d" and "0x1p3".
    if (!(first == '-' || Character.isDigit(first))
        || !Character.isDigit(text.charAt(text.length() - 1))) {
      return null;
    }
    try {
      return Double.valueOf(text);
    } catch (NumberFormatException notOne) {
      return null;
    }
  }

  /** A threshold or number without a needless fraction. */
  public static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
