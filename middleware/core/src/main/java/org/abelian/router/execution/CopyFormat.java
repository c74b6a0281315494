package org.abelian.router.execution;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How the lines of a COPY are written.
 *
 * @param nullText what stands for NULL
 * @param defaultText what stands for the column's default; null when nothing does
 * @param quote of csv
 * @param escape of csv
 * @param header true when the first line is none of the rows
 * @param charset in which every ASCII byte is that character, wherever it stands
 */
public record CopyFormat(
    boolean csv,
    byte delimiter,
    byte[] nullText,
    byte[] defaultText,
    byte quote,
    byte escape,
    boolean header,
    Charset charset) {
  /** Of lines in UTF-8. */
  public CopyFormat(
      boolean csv, byte delimiter, byte[] nullText, byte quote, byte escape, boolean header) {
    this(csv, delimiter, nullText, null, quote, escape, header, StandardCharsets.UTF_8);
  }

  /** Copies the arrays. */
  public CopyFormat {
    nullText = nullText.clone();
    defaultText = defaultText == null ? null : defaultText.clone();
  }

  /** True when these bytes stand for the column's default. */
  boolean isDefault(byte[] array, int from, int to) {
    return defaultText != null
        && Arrays.equals(array, from, to, defaultText, 0, defaultText.length);
  }

  /** True when these bytes, unquoted, stand for NULL. */
  boolean isNull(byte[] array, int from, int to) {
    return Arrays.equals(array, from, to, nullText, 0, nullText.length);
  }

  @Override
  public byte[] nullText() {
    return nullText.clone();
  }

  @Override
  public byte[] defaultText() {
    return defaultText == null ? null : defaultText.clone();
  }
}
