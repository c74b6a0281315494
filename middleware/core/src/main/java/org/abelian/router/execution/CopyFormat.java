package org.abelian.router.execution;

import java.util.Arrays;

/**
 * How the lines of a COPY are written.
 *
 * @param nullText what stands for NULL
 * @param quote of csv
 * @param escape of csv
 * @param header true when the first line is none of the rows
 */
public record CopyFormat(
    boolean csv, byte delimiter, byte[] nullText, byte quote, byte escape, boolean header) {
  /** Copies the array. */
  public CopyFormat {
    nullText = nullText.clone();
  }

  /** True when these bytes, unquoted, stand for NULL. */
  boolean isNull(byte[] array, int from, int to) {
    return Arrays.equals(array, from, to, nullText, 0, nullText.length);
  }

  @Override
  public byte[] nullText() {
    return nullText.clone();
  }
}
