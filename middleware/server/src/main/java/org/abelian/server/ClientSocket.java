package org.abelian.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of a client. While nobody reads from it, another thread may look whether the client is
 * still there; what the client has sent is then kept for whoever reads next.
 */
final class ClientSocket implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(ClientSocket.class);
  private static final int PIECE = 16384;

  /** What a client has sent ahead is read up to here to see whether it is gone. */
  private static final int AHEAD_MAX = 16 << 20;

  private final Socket socket;
  private final InputStream input;
  private final OutputStream output;
  private final MemoryBudget memory;
  private final ByteQueue ahead;
  private int timeout;

  ClientSocket(Socket socket, MemoryBudget memory) throws IOException {
    this.socket = socket;
    this.memory = memory;
    input = socket.getInputStream();
    output = socket.getOutputStream();
    ahead = new ByteQueue(0, memory);
  }

  @Override
  public boolean read(ByteQueue target, int room) throws IOException {
    target.reserve(room);
    int free = target.array().length - target.end();
    if (!ahead.isEmpty()) {
      int count = Math.min(ahead.size(), free);
      target.append(ahead.array(), ahead.start(), count);
      ahead.consume(count);
      return true;
    }
    int count = input.read(target.array(), target.end(), free);
    if (count < 0) {
      return false;
    }
    target.extend(count);
    return true;
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    output.write(source, offset, length);
  }

  /**
   * How long the next reads wait, in milliseconds, before they throw {@link
   * SocketTimeoutException}; 0 for ever. What has come is kept.
   */
  void timeout(int millis) throws IOException {
    if (millis != timeout) {
      socket.setSoTimeout(millis);
      timeout = millis;
    }
  }

  /** Whether the client has not closed its side. Takes a millisecond; not while somebody reads. */
  boolean isThere() {
    byte[] piece = new byte[PIECE];
    try {
      socket.setSoTimeout(1);
      while (ahead.size() < AHEAD_MAX && !memory.isTight()) {
        int count = input.read(piece);
        if (count < 0) {
          return false;
        }
        ahead.appendAnyway(piece, 0, count);
      }
      return true;
    } catch (SocketTimeoutException silent) {
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      block();
    }
  }

  private void block() {
    try {
      socket.setSoTimeout(0);
    } catch (IOException e) {
      LOG.debug("a client's socket", e);
    }
  }

  /** Gives up its memory; when nobody reads from it any more. */
  void free() {
    ahead.close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("closing a client's socket", e);
    }
  }
}
