package org.abelian.workloads.pgbench;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What pgbench prints at its end.
 *
 * @param processed committed transactions
 * @param failed transactions that failed with a serialization error or a deadlock
 * @param perSecond committed transactions per second, without the time to connect
 */
record PgbenchSummary(long processed, long failed, double perSecond) {
  private static final Pattern PROCESSED =
      Pattern.compile("number of transactions actually processed: (\\d+)");
  private static final Pattern FAILED = Pattern.compile("number of failed transactions: (\\d+)");
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
        Double.parseDouble(find(RATE, output)));
  }

  private static String find(Pattern pattern, String output) throws IOException {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new IOException("pgbench did not print what was expected:\n" + output);
    }
    return matcher.group(1);
  }
}
