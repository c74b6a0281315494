package org.abelian.router.execution;

import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/** How many bytes of rows a step of a statement may bring from some nodes to others. */
public final class ExchangeLimit {
  /** What a session sets it by. */
  public static final String SETTING = "abelian.max_exchange_bytes";

  private static final long DEFAULT = 64L << 20;
  private static final int MEGABYTE_BITS = 20;

  private ExchangeLimit() {}

  /**
   * The limit by the value of the setting.
   *
   * @param value as nodes report it, in bytes; null for the default
   */
  public static long of(String value) {
    return value == null ? DEFAULT : Long.parseLong(value);
  }

  /**
   * The error for more than that.
   *
   * @param purpose what is to become of the rows
   * @param rows how many were taken
   * @param advice what else the client can do than set the limit
   */
  static AbelianException exceeded(String purpose, long limit, long rows, String advice) {
    return new AbelianException(
        SqlState.PROGRAM_LIMIT_EXCEEDED,
        "the rows to %s take more than %s at the router".formatted(purpose, size(limit)),
        "The nodes were told to stop after " + rows + " rows.",
        advice + " Or set " + SETTING + " higher.",
        null);
  }

  private static String size(long bytes) {
    boolean whole = bytes > 0 && bytes % (1L << MEGABYTE_BITS) == 0;
    return whole ? (bytes >> MEGABYTE_BITS) + " MB" : bytes + " bytes";
  }
}
