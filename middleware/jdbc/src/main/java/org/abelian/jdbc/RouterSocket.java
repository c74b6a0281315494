package org.abelian.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.ClientSession;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.protocol.ByteQueue;

/**
 * What pgjdbc takes for a connection to a server: a router session, run by whichever thread reads.
 * Writing only collects messages, so there is no hand-over between threads and no extra thread.
 */
final class RouterSocket extends Socket {
  /** So many bytes of an answer are handed over before the rest of it is there. */
  private static final int HAND_OVER_AT = 32768;

  private final ClientSession session;
  private final Input input = new Input();
  private final OutputStream output = new Output();
  private final ReentrantLock use = new ReentrantLock();
  private boolean noDelay;
  private boolean keepAlive;
  private volatile boolean closed;

  RouterSocket(ClientSession session) throws SocketException {
    super((SocketImpl) null);
    this.session = session;
  }

  private void requireOpen() throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
  }

  private final class Input extends InputStream {
    private final byte[] one = new byte[1];

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      use.lock();
      try {
        requireOpen();
        return take(target, offset, length);
      } finally {
        leave();
      }
    }

    private int take(byte[] target, int offset, int length) throws IOException {
      ClientOutput messages = session.output();
      ByteQueue queue = messages.queue();
      if (queue.isEmpty()) {
        advance(queue);
      }
      if (queue.isEmpty()) {
        awaitNotification();
      }
      if (queue.isEmpty()) {
        if (session.isClosed()) {
          return -1;
        }
        throw new SocketTimeoutException("no answer is due");
      }
      int count = Math.min(length, queue.size());
      System.arraycopy(queue.array(), queue.start(), target, offset, count);
      messages.taken(count);
      return count;
    }

    /** As a server is silent until something comes; pgjdbc polls for notifications in this way. */
    private void awaitNotification() {
      session.deliver();
      if (session.output().queue().isEmpty() && session.listens()) {
        session.mailbox().await(session.timeout());
        session.deliver();
      }
    }

    /** What the client has not taken yet can still be taken back, should a node refuse its part. */
    private void advance(ByteQueue queue) throws IOException {
      boolean goesOn = true;
      while (goesOn && queue.size() < HAND_OVER_AT) {
        goesOn = session.advance();
      }
    }

    /** pgjdbc does not even try to read while nothing is there. */
    @Override
    public int available() {
      if (session.listens() && use.tryLock()) {
        try {
          session.deliver();
        } finally {
          leave();
        }
      }
      return session.output().queue().size();
    }

    @Override
    public void close() {
      RouterSocket.this.close();
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      use.lock();
      try {
        requireOpen();
        session.receive(source, offset, length);
        if (session.isBehind()) {
          input.advance(session.output().queue());
        }
      } finally {
        leave();
      }
    }

    @Override
    public void close() {
      RouterSocket.this.close();
    }
  }

  @Override
  public InputStream getInputStream() {
    return input;
  }

  @Override
  public OutputStream getOutputStream() {
    return output;
  }

  /** Already connected: pgjdbc then neither looks up the host nor connects. */
  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void connect(SocketAddress endpoint) {}

  @Override
  public void connect(SocketAddress endpoint, int timeout) {}

  @Override
  public void bind(SocketAddress address) {}

  @Override
  public void setTcpNoDelay(boolean on) {
    noDelay = on;
  }

  @Override
  public boolean getTcpNoDelay() {
    return noDelay;
  }

  @Override
  public void setKeepAlive(boolean on) {
    keepAlive = on;
  }

  @Override
  public boolean getKeepAlive() {
    return keepAlive;
  }

  /** How long a node may take to send something: pgjdbc's socketTimeout and network timeout. */
  @Override
  public void setSoTimeout(int millis) {
    session.timeout(millis);
  }

  @Override
  public int getSoTimeout() {
    return session.timeout();
  }

  @Override
  public void setSendBufferSize(int size) {}

  @Override
  public int getSendBufferSize() {
    return 8192;
  }

  @Override
  public void setReceiveBufferSize(int size) {}

  @Override
  public int getReceiveBufferSize() {
    return 8192;
  }

  @Override
  public void setSoLinger(boolean on, int seconds) {}

  @Override
  public InetAddress getInetAddress() {
    return InetAddress.getLoopbackAddress();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Override
  public int getPort() {
    return 0;
  }

  @Override
  public void shutdownInput() {}

  @Override
  public void shutdownOutput() {}

  /** Ends a use; if the socket was closed meanwhile, nobody else will end the session. */
  private void leave() {
    if (closed) {
      end();
    }
    use.unlock();
  }

  /**
   * May come from another thread than the one that reads (abort, network timeout): then that one
   * gets an error, and ends the session.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (use.tryLock()) {
      try {
        end();
      } finally {
        use.unlock();
      }
    } else {
      session.abort();
    }
  }

  private void end() {
    session.close();
    session.free();
  }

  @Override
  public String toString() {
    return "RouterSocket[" + session + "]";
  }
}
