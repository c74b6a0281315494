package org.abelian.router.execution;

import org.abelian.router.error.AbelianException;

/** What takes the rows of a node's answer. */
@FunctionalInterface
public interface RowSink {
  /**
   * Takes a row.
   *
   * @param values null for NULL
   * @throws AbelianException when it does not want any more
   */
  void take(byte[][] values);

  /** The bytes that a row may still have. */
  default long room() {
    return Long.MAX_VALUE;
  }

  /** The error when a row has more. */
  default AbelianException tooMuch() {
    return AbelianException.internal("a row is too large", null);
  }
}
