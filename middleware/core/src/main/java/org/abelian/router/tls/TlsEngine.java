package org.abelian.router.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.abelian.router.protocol.ByteQueue;

/**
 * One TLS connection without its socket. The owner puts what came from the network into {@link
 * #received} and sends what it finds in {@link #toSend}; so it decides how to wait. Not
 * thread-safe.
 */
public final class TlsEngine {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final ByteQueue received = new ByteQueue(4096);
  private final ByteQueue toSend = new ByteQueue(4096);
  private boolean established;
  private boolean ended;

  /** Around an engine that knows which side it is on and whom to trust. */
  public TlsEngine(SSLEngine engine) {
    this.engine = engine;
  }

  /** Encrypted bytes from the other side, which this consumes. */
  public ByteQueue received() {
    return received;
  }

  /** Encrypted bytes for the other side, which the owner consumes. */
  public ByteQueue toSend() {
    return toSend;
  }

  /**
   * Goes on with the handshake as far as what was received allows.
   *
   * @return true when it is over; until then, send what there is, and receive more
   * @throws SSLException when it has failed; an alert for the other side may be there to send
   */
  public boolean handshake() throws SSLException {
    if (!established) {
      begin();
      established = continueHandshake();
    }
    return established;
  }

  private void begin() throws SSLException {
    if (engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING) {
      engine.beginHandshake();
    }
  }

  /** Each round runs a task, or makes or takes a record; it ends where a record is missing. */
  private boolean continueHandshake() throws SSLException {
    try {
      for (; ; ) {
        switch (engine.getHandshakeStatus()) {
          case NEED_TASK -> runTasks();
          case NEED_WRAP -> wrap(NOTHING);
          case NEED_UNWRAP -> {
            SSLEngineResult result = unwrap(NOTHING);
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
              throw new SSLException("the other side ended the handshake");
            }
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
              return false;
            }
          }
          default -> {
            return true;
          }
        }
      }
    } catch (SSLException e) {
      addAlert();
      throw e;
    }
  }

  /** The engine has an alert to tell after it has failed; it may fail again then. */
  private void addAlert() {
    try {
      for (int i = 0; i < 3 && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP; i++) {
        wrap(NOTHING);
      }
    } catch (SSLException e) {
      // What there was to tell has been made, or cannot be.
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** Encrypts bytes, after the handshake. */
  public void encrypt(byte[] source, int offset, int length) throws SSLException {
    ByteBuffer plain = ByteBuffer.wrap(source, offset, length);
    while (plain.hasRemaining()) {
      if (wrap(plain).getStatus() == SSLEngineResult.Status.CLOSED) {
        throw new SSLException("the TLS connection is closed");
      }
    }
  }

  private SSLEngineResult wrap(ByteBuffer plain) throws SSLException {
    for (int room = engine.getSession().getPacketBufferSize(); ; room *= 2) {
      toSend.reserve(room);
      ByteBuffer target = ByteBuffer.wrap(toSend.array(), toSend.end(), room);
      SSLEngineResult result = engine.wrap(plain, target);
      toSend.extend(result.bytesProduced());
      if (result.getStatus() != SSLEngineResult.Status.BUFFER_OVERFLOW) {
        return result;
      }
    }
  }

  /**
   * Decrypts what was received and appends it to a queue.
   *
   * @return how many bytes; 0 when a whole record is not there yet, -1 at the other side's end
   */
  public int decrypt(ByteQueue target) throws SSLException {
    int before = target.size();
    while (!ended && !received.isEmpty()) {
      int room = engine.getSession().getApplicationBufferSize();
      target.reserve(room);
      ByteBuffer plain =
          ByteBuffer.wrap(target.array(), target.end(), target.array().length - target.end());
      SSLEngineResult result = unwrap(plain);
      target.extend(result.bytesProduced());
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        ended = true;
      } else if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
        break;
      }
      afterRecord();
    }
    int count = target.size() - before;
    return count == 0 && ended ? -1 : count;
  }

  /** TLS 1.3 has messages beside the data (tickets, new keys); before, they mean renegotiation. */
  private void afterRecord() throws SSLException {
    HandshakeStatus status = engine.getHandshakeStatus();
    if (status == HandshakeStatus.NOT_HANDSHAKING || ended) {
      return;
    }
    if (!engine.getSession().getProtocol().equals(TlsVersion.TLS_1_3.toString())) {
      throw new SSLException("TLS renegotiation is not allowed");
    }
    continueHandshake();
  }

  private SSLEngineResult unwrap(ByteBuffer plain) throws SSLException {
    ByteBuffer source = ByteBuffer.wrap(received.array(), received.start(), received.size());
    SSLEngineResult result = engine.unwrap(source, plain);
    received.consume(result.bytesConsumed());
    if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
      throw new SSLException("data where the handshake must go on");
    }
    return result;
  }

  /** Takes leave: the other side can then tell the end from a broken connection. */
  public void end() {
    engine.closeOutbound();
    try {
      wrap(NOTHING);
    } catch (SSLException e) {
      // Nobody is told, then.
    }
  }

  /** What was agreed upon. */
  public SSLSession session() {
    return engine.getSession();
  }

  /** The protocol that ALPN agreed upon; empty when the other side named none. */
  public String applicationProtocol() {
    String protocol = engine.getApplicationProtocol();
    return protocol == null ? "" : protocol;
  }

  /** The other side's certificate; null when it has shown none. */
  public X509Certificate peerCertificate() throws IOException {
    try {
      Certificate[] chain = engine.getSession().getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate first ? first : null;
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
  }
}
