package org.abelian.router.trace;

import java.io.Closeable;
import java.io.IOException;

/** Where lines go. */
interface TraceSink extends Closeable {
  /** How much can be written at once, in bytes. */
  long most();

  /**
   * Writes lines, all or none of them.
   *
   * @throws IOException when that cannot be done now; it may be tried with others later
   */
  void write(byte[] lines, int length) throws IOException;
}
