package org.abelian.router.execution;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How the lines of a COPY are written.
 *
 * @param nullText what stands for NULL
 * @param quote of csv
 * @param escape of csv
 * @param header true when the first line is none of the rows
 * @param charset in which every ASCII byte is that character, wherever it stands
 */
public record CopyFormat(
    boolean csv,
    byte delimiter,
    byte[] nullText,
    byte quote,
    byte escape,
    boolean header,
    Charset charset) {
  /** Of lines in UTF-8. */
  public CopyFormat(
      boolean csv, byte delimiter, byte[] nullText, byte quote, byte escape, boolean header) {
    this(csv, delimiter, nullText, quote, escape, header, StandardCharsets.UTF_8);
  }

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
