package org.abelian.router.placement;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** uuid, boolean and date as text. */
public final class SpecialText {
  private static final LocalDate EPOCH = LocalDate.of(2000, 1, 1);

  /**
   * ISO, the one form that every DateStyle reads alike; drivers append a time zone, which date
   * ignores.
   */
  private static final Pattern DATE =
      Pattern.compile(
          "(\\d{4,7})-(\\d{2})-(\\d{2})(?: ?[+-]\\d{2}(?::?\\d{2})?)?( BC)?",
          Pattern.CASE_INSENSITIVE);

  private SpecialText() {}

  /** The 16 bytes of a uuid, in any of the forms that PostgreSQL accepts. */
  public static ByteBuffer uuid(String text) {
    boolean braces = text.startsWith("{") && text.endsWith("}");
    String digits = (braces ? text.substring(1, text.length() - 1) : text).replace("-", "");
    if (digits.length() != 32 || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0)) {
      throw malformed("uuid", text);
    }
    return ByteBuffer.allocate(16)
        .putLong(0, Long.parseUnsignedLong(digits.substring(0, 16), 16))
        .putLong(8, Long.parseUnsignedLong(digits.substring(16), 16));
  }

  /** A boolean, in any of the forms that PostgreSQL accepts. */
  public static boolean bool(String text) {
    String word = text.toLowerCase(Locale.ROOT);
    if (word.equals("1") || word.equals("on") || isPrefix(word, "true") || isPrefix(word, "yes")) {
      return true;
    }
    if (word.equals("0")
        || word.equals("of")
        || word.equals("off")
        || isPrefix(word, "false")
        || isPrefix(word, "no")) {
      return false;
    }
    throw malformed("boolean", text);
  }

  /** Days since 2000-01-01. */
  public static long date(String text) {
    if (text.equalsIgnoreCase("infinity")) {
      return Integer.MAX_VALUE;
    }
    if (text.equalsIgnoreCase("-infinity")) {
      return Integer.MIN_VALUE;
    }
    Matcher matcher = DATE.matcher(text);
    try {
      if (matcher.matches()) {
        int year = Integer.parseInt(matcher.group(1));
        boolean beforeChrist = matcher.group(4) != null; // The year before 1 is 1 BC.
        LocalDate date =
            LocalDate.of(
                beforeChrist ? 1 - year : year,
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
        return ChronoUnit.DAYS.between(EPOCH, date);
      }
    } catch (DateTimeException notADay) {
      throw malformed("date", text);
    }
    throw AbelianException.unsupported(
        "a distribution key of type date cannot be read from \"" + text + "\"",
        "Write it as YYYY-MM-DD, or bind it in binary.");
  }

  /** That many days after 2000-01-01, as PostgreSQL writes it in ISO. */
  static String date(long days) {
    if (days == Integer.MAX_VALUE || days == Integer.MIN_VALUE) {
      return days < 0 ? "-infinity" : "infinity";
    }
    LocalDate date = EPOCH.plusDays(days);
    int year = date.getYear();
    String text =
        "%04d-%02d-%02d"
            .formatted(year > 0 ? year : 1 - year, date.getMonthValue(), date.getDayOfMonth());
    return year > 0 ? text : text + " BC";
  }

  private static boolean isPrefix(String word, String whole) {
    return !word.isEmpty() && whole.startsWith(word);
  }

  private static AbelianException malformed(String type, String text) {
    return new AbelianException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type + ": \"" + text + "\"",
        null);
  }
}
