package org.abelian.router.placement;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * Times and timestamps as text, in the forms that mean the same under all settings. Any other is
 * left to PostgreSQL, which knows the session's time zone and order of day and month.
 */
public final class MomentText {
  /** How PostgreSQL stores them. */
  public static final long INFINITE_FUTURE = Long.MAX_VALUE;

  public static final long INFINITE_PAST = Long.MIN_VALUE;

  private static final LocalDate EPOCH = LocalDate.of(2000, 1, 1);
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400 * SECOND;

  private static final String CLOCK = "(\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,6}))?)?";
  private static final Pattern TIME = Pattern.compile(CLOCK);
  private static final Pattern TIMESTAMP =
      Pattern.compile(
          "(\\d{4,6})-(\\d{2})-(\\d{2})(?:[ Tt]"
              + CLOCK
              + " ?(?:([Zz])|([+-])(\\d{2})(?::?(\\d{2})(?::?(\\d{2}))?)?)?)?( BC)?");

  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  private static final String MONTH = "(" + String.join("|", MONTHS) + ")";

  /** As PostgreSQL writes it under DateStyle Postgres: the name of the month says what it is. */
  private static final Pattern WITH_NAMES =
      Pattern.compile(
          "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:"
              + MONTH
              + " (\\d{2})|(\\d{2}) "
              + MONTH
              + ") "
              + CLOCK
              + " (\\d{4,6})( BC)?");

  private MomentText() {}

  /** Microseconds since midnight. */
  public static long time(String text) {
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      throw unclear("time", text, "HH:MM:SS");
    }
    if (text.startsWith("24:") && text.chars().skip(3).allMatch(c -> "0:.".indexOf(c) >= 0)) {
      return DAY;
    }
    return clock(matcher, 1, "time", text);
  }

  /**
   * Microseconds since 2000-01-01.
   *
   * @param zoned true when the text's time zone counts, and must be there
   */
  public static long timestamp(String text, boolean zoned) {
    String type = zoned ? "timestamp with time zone" : "timestamp";
    if (text.equalsIgnoreCase("infinity")) {
      return INFINITE_FUTURE;
    }
    if (text.equalsIgnoreCase("-infinity")) {
      return INFINITE_PAST;
    }
    Matcher named = WITH_NAMES.matcher(text);
    if (!zoned && named.matches()) {
      return withNames(named, type, text);
    }
    Matcher matcher = TIMESTAMP.matcher(text);
    boolean known = matcher.matches();
    boolean hasZone = known && (matcher.group(8) != null || matcher.group(9) != null);
    if (!known || zoned && !hasZone) {
      throw unclear(type, text, "YYYY-MM-DD HH:MM:SS" + (zoned ? "+00:00" : ""));
    }
    boolean beforeChrist = matcher.group(13) != null;
    long day =
        day(number(matcher, 1), beforeChrist, number(matcher, 2), number(matcher, 3), type, text);
    long clock = matcher.group(4) == null ? 0 : clock(matcher, 4, type, text);
    return day + clock - (zoned ? offset(matcher) : 0);
  }

  private static long withNames(Matcher named, String type, String text) {
    boolean monthFirst = named.group(1) != null;
    int month = 1 + MONTHS.indexOf(named.group(monthFirst ? 1 : 4));
    int day = number(named, monthFirst ? 2 : 3);
    boolean beforeChrist = named.group(10) != null;
    return day(number(named, 9), beforeChrist, month, day, type, text)
        + clock(named, 5, type, text);
  }

  /** Its beginning. The year before 1 is 1 BC. */
  private static long day(
      int year, boolean beforeChrist, int month, int day, String type, String text) {
    if (year == 0) {
      throw malformed(type, text);
    }
    try {
      LocalDate date = LocalDate.of(beforeChrist ? 1 - year : year, month, day);
      return ChronoUnit.DAYS.between(EPOCH, date) * DAY;
    } catch (DateTimeException notADay) {
      throw malformed(type, text);
    }
  }

  /** The same of a date, by its days since 2000-01-01. */
  public static long ofDays(long days) {
    if (days == Integer.MAX_VALUE || days == Integer.MIN_VALUE) {
      return days < 0 ? INFINITE_PAST : INFINITE_FUTURE;
    }
    return days * DAY;
  }

  /** What a column stores that has so many digits of a second. */
  public static long rounded(long micros, int digits) {
    if (digits >= 6 || micros == INFINITE_FUTURE || micros == INFINITE_PAST) {
      return micros;
    }
    long unit = 1;
    for (int digit = digits; digit < 6; digit++) {
      unit *= 10;
    }
    long magnitude = (Math.abs(micros) + unit / 2) / unit * unit;
    return micros < 0 ? -magnitude : magnitude;
  }

  private static long clock(Matcher matcher, int group, String type, String text) {
    int hours = number(matcher, group);
    int minutes = number(matcher, group + 1);
    int seconds = matcher.group(group + 2) == null ? 0 : number(matcher, group + 2);
    if (hours > 23 || minutes > 59 || seconds > 59) {
      throw unclear(type, text, "HH:MM:SS up to 23:59:59");
    }
    String fraction = matcher.group(group + 3);
    long micros = fraction == null ? 0 : Long.parseLong((fraction + "00000").substring(0, 6));
    return ((hours * 60L + minutes) * 60 + seconds) * SECOND + micros;
  }

  /** East of Greenwich, in microseconds. */
  private static long offset(Matcher matcher) {
    if (matcher.group(8) != null) {
      return 0;
    }
    long minutes = matcher.group(11) == null ? 0 : number(matcher, 11);
    long seconds = matcher.group(12) == null ? 0 : number(matcher, 12);
    long offset = ((number(matcher, 10) * 60L + minutes) * 60 + seconds) * SECOND;
    return matcher.group(9).equals("-") ? -offset : offset;
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }

  private static AbelianException unclear(String type, String text, String form) {
    return AbelianException.unsupported(
        "a distribution key of type " + type + " cannot be read from \"" + text + "\"",
        "Write it as " + form + ", or bind it in binary.");
  }

  private static AbelianException malformed(String type, String text) {
    return new AbelianException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type + ": \"" + text + "\"",
        null);
  }
}
