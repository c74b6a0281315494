package org.abelian.router.analysis;

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
}
