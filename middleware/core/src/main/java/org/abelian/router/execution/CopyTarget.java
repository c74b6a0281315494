package org.abelian.router.execution;

import org.abelian.router.protocol.FrontendType;

/** Where a client's COPY data goes. A broken connection is found when its answer is read. */
public interface CopyTarget {
  /**
   * True when the node was told by the extended protocol: it ignores a Sync that comes before the
   * end of the data.
   */
  boolean isExtended();

  /** Takes a CopyData message. */
  void data(byte[] array, int frame, int length);

  /**
   * The data ends.
   *
   * @param type {@link FrontendType#COPY_DONE} or {@link FrontendType#COPY_FAIL}
   * @param reason for COPY_FAIL, with its zero
   * @param sync true to send a Sync in place of an ignored one
   */
  void end(byte type, byte[] reason, boolean sync);

  /** Sends what is due. */
  void flush();
}
