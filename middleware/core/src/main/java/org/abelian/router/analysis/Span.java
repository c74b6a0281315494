package org.abelian.router.analysis;

import java.nio.charset.StandardCharsets;

/**
 * A piece of the query text.
 *
 * @param offset in bytes of the text in UTF-8, from 0
 * @param length in bytes
 */
public record Span(int offset, int length) {
  /** The first byte after the piece. */
  public int end() {
    return offset + length;
  }

  /** The piece. */
  public String of(String text) {
    return new String(
        text.getBytes(StandardCharsets.UTF_8), offset, length, StandardCharsets.UTF_8);
  }
}
