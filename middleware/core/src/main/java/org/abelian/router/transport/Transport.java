package org.abelian.router.transport;

import java.io.Closeable;
import java.io.IOException;
import org.abelian.router.protocol.ByteQueue;

/**
 * One connection. It is read and written by one thread at a time; {@link #close} may come from any,
 * and whoever waits then gets an error.
 */
public interface Transport extends Closeable {
  /**
   * Appends what has arrived, and waits until there is something.
   *
   * @param room how many bytes there shall be room for at least
   * @return false when the other side has ended the connection
   */
  boolean read(ByteQueue target, int room) throws IOException;

  /**
   * Appends what somebody else has read from the connection, if anybody has, without waiting.
   *
   * @param room how many bytes there shall be room for at least
   */
  default void readAside(ByteQueue target, int room) throws IOException {}

  /**
   * Appends what arrives within a moment, where a connection can tell without waiting for more.
   *
   * @param room how many bytes there shall be room for at least
   * @return false when the other side has ended the connection
   */
  default boolean readSoon(ByteQueue target, int room) throws IOException {
    return true;
  }

  /** Sends all of it. */
  void write(byte[] source, int offset, int length) throws IOException;

  /** Takes leave of the other side, if that takes no waiting for it, and closes. */
  default void end() {
    close();
  }

  /** Closes at once. */
  @Override
  void close();
}
