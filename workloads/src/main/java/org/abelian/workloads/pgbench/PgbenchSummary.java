package org.abelian.workloads.pgbench;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What pgbench prints at its end.
 *
 * @param processed committed transactions
 * @param failed transactions that failed with a serialization error or a deadlock
 * @param retries tries beyond the first of a transaction
 * @param perSecond committed transactions per second, without the time to connect
 */
record PgbenchSummary(long processed, long failed, long retries, double perSecond) {
  private static final Pattern PROCESSED =
      Pattern.compile("number of transactions actually processed: (\\d+)");
  private static final Pattern FAILED = Pattern.compile("number of failed transactions: (\\d+)");
  private static final Pattern RETRIES = Pattern.compile("total number of retries: (\\d+)");
  private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+)");

  /**
   * Reads the output of pgbench.
   *
   * @throws IOException when a figure is missing
   */
  static PgbenchSummary parse(String output) throws IOException {
    return new PgbenchSummary(
        Long.parseLong(find(PROCESSED, output)),
        Long.parseLong(find(FAILED, output)),
        retries(output),
        Double.parseDouble(find(RATE, output)));
  }

  /** Printed only when transactions may be tried more than once. */
  private static long retries(String output) {
    Matcher matcher = RETRIES.matcher(output);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  private static String find(Pattern pattern, String output) throws IOException {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new IOException("pgbench did not print what was expected:\n" + output);
    }
    return matcher.group(1);
  }
}
