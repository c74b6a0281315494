package org.abelian.router.execution;

import java.io.IOException;
import java.util.List;

/** Where the values come from that rows of a COPY get before their own. */
@FunctionalInterface
public interface CopyAddition {
  /**
   * The values of so many rows, in the format of the data; null for NULL.
   *
   * @throws RuntimeException the error of the node that computes them
   * @throws IOException when it is lost
   */
  List<byte[][]> next(int rows) throws IOException;
}
