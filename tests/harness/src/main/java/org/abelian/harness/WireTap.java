package org.abelian.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes connections on to a port of this machine and keeps the beginning of what clients send. */
public final class WireTap implements AutoCloseable {
  /** In bytes, for each connection. */
  private static final int KEPT_MAX = 1 << 16;

  private static final int SSL_REQUEST = 80877103;
  private static final int CANCEL_REQUEST = 80877102;
  private static final int RECORD_HEADER = 5;

  private final int target;
  private final ServerSocket listener;
  private final List<Recording> recordings = new CopyOnWriteArrayList<>();

  /** What a client has sent on one connection, as far as it was kept. */
  public static final class Recording {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    private synchronized void add(byte[] bytes, int count) {
      sent.write(bytes, 0, Math.min(count, KEPT_MAX - sent.size()));
    }

    private synchronized byte[] bytes() {
      return sent.toByteArray();
    }

    /** True when a request for TLS and then only records of TLS were sent. */
    public boolean isEncrypted() {
      ByteBuffer bytes = ByteBuffer.wrap(bytes());
      if (bytes.remaining() < 8 || bytes.getInt() != 8 || bytes.getInt() != SSL_REQUEST) {
        return false;
      }
      while (bytes.remaining() >= RECORD_HEADER) {
        int type = bytes.get();
        int version = bytes.get();
        bytes.get();
        int length = bytes.getShort() & 0xffff;
        if (type < 0x14 || type > 0x17 || version != 3) {
          return false;
        }
        bytes.position(Math.min(bytes.limit(), bytes.position() + length));
      }
      return true;
    }

    /** True when it is a request to cancel, in the clear. */
    public boolean isPlainCancel() {
      byte[] bytes = bytes();
      return bytes.length >= 8 && ByteBuffer.wrap(bytes).getInt(4) == CANCEL_REQUEST;
    }

    @Override
    public String toString() {
      byte[] bytes = bytes();
      return bytes.length + " bytes, " + (isEncrypted() ? "encrypted" : "plain");
    }
  }

  private WireTap(int target, ServerSocket listener) {
    this.target = target;
    this.listener = listener;
  }

  /** Listens on a port of its own and forwards to a port of this machine. */
  public static WireTap to(int target) {
    Resources.prepare();
    try {
      ServerSocket listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve()));
      WireTap tap = new WireTap(target, listener);
      Resources.opened(tap);
      FaultProxy.startDaemon(tap::accept, "wire tap to " + target);
      return tap;
    } catch (IOException e) {
      throw new HarnessException("cannot listen", e);
    }
  }

  /** The port that stands for the target's. */
  public int port() {
    return listener.getLocalPort();
  }

  /** All connections since it was made, but those on which nothing was sent. */
  public List<Recording> recordings() {
    return recordings.stream().filter(recording -> recording.bytes().length > 0).toList();
  }

  private void accept() {
    while (!listener.isClosed()) {
      Socket client = null;
      try {
        client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Recording recording = new Recording();
        recordings.add(recording);
        forward(client, server, recording);
        forward(server, client, null);
      } catch (IOException e) {
        FaultProxy.closeQuietly(client);
      }
    }
  }

  private static void forward(Socket from, Socket to, Recording recording) {
    FaultProxy.startDaemon(
        () -> {
          byte[] buffer = new byte[16384];
          try (from;
              to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
              if (recording != null) {
                recording.add(buffer, count);
              }
              out.write(buffer, 0, count);
            }
          } catch (IOException e) {
            // One of the two has left; so does the other.
          }
        },
        "wire tap");
  }

  @Override
  public void close() {
    FaultProxy.closeQuietly(listener);
    Resources.closed(this);
  }

  @Override
  public String toString() {
    return "wire tap on port " + port() + " to " + target;
  }
}
