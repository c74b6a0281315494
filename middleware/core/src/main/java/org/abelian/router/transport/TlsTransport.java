package org.abelian.router.transport;

import java.io.EOFException;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.tls.TlsEngine;

/**
 * Encrypts what another transport carries. One thread may write while another waits in a read, if
 * that can be done below.
 */
public final class TlsTransport implements Transport {
  private static final int READ = 8192;

  /**
   * So much is encrypted before it is sent, so that a large message does not take twice its size.
   */
  private static final int PIECE = 1 << 16;

  private static final int LARGEST_IDLE_BUFFER = 1 << 17;

  private final Transport below;
  private final TlsEngine engine;

  /** Over a transport on which nothing encrypted was sent yet. */
  public TlsTransport(Transport below, TlsEngine engine) {
    this.below = below;
    this.engine = engine;
  }

  /**
   * Carries out the handshake, waiting for the other side as long as a read may.
   *
   * @throws SSLException when it fails; the other side was told
   */
  public void handshake() throws IOException {
    try {
      while (!engine.handshake()) {
        flush();
        if (!below.read(engine.received(), READ)) {
          throw new EOFException("connection closed during the TLS handshake");
        }
      }
    } catch (SSLException failed) {
      try {
        flush();
      } catch (IOException e) {
        failed.addSuppressed(e);
      }
      throw failed;
    }
    flush();
  }

  /** What does the encryption. */
  public TlsEngine engine() {
    return engine;
  }

  @Override
  public boolean read(ByteQueue target, int room) throws IOException {
    for (; ; ) {
      int count;
      synchronized (engine) {
        count = engine.decrypt(target);
        flush(); // What TLS has to say by itself.
      }
      if (count != 0) {
        return count > 0;
      }
      if (!below.read(engine.received(), READ)) {
        return false;
      }
    }
  }

  @Override
  public boolean readSoon(ByteQueue target, int room) throws IOException {
    if (!below.readSoon(engine.received(), READ)) {
      return false;
    }
    synchronized (engine) {
      int count = engine.decrypt(target);
      flush();
      return count >= 0;
    }
  }

  @Override
  public void readAside(ByteQueue target, int room) throws IOException {
    below.readAside(engine.received(), READ);
    synchronized (engine) {
      engine.decrypt(target);
      flush();
    }
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    for (int done = 0; done < length; done += PIECE) {
      synchronized (engine) {
        engine.encrypt(source, offset + done, Math.min(PIECE, length - done));
        flush();
      }
    }
  }

  private void flush() throws IOException {
    ByteQueue encrypted = engine.toSend();
    if (!encrypted.isEmpty()) {
      below.write(encrypted.array(), encrypted.start(), encrypted.size());
      encrypted.clear(LARGEST_IDLE_BUFFER);
    }
  }

  @Override
  public void end() {
    try {
      synchronized (engine) {
        engine.end();
        flush();
      }
    } catch (IOException e) {
      // Nobody is there to be told.
    }
    below.end();
  }

  @Override
  public void close() {
    below.close();
  }
}
