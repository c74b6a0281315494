package org.abelian.router.pool;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/** Lets anybody in or nobody, and then speaks only when it is told to. */
final class FakeNode implements AutoCloseable {
  private final ServerSocket listener;
  private final List<Socket> clients = new CopyOnWriteArrayList<>();
  private volatile ErrorFields refusal;

  FakeNode() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "fake node");
    thread.setDaemon(true);
    thread.start();
  }

  NodeAddress address() {
    return new NodeAddress(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        client.setTcpNoDelay(true); // As PostgreSQL does.
        DataInputStream in = new DataInputStream(client.getInputStream());
        in.readFully(new byte[in.readInt() - 4]); // A request for encryption comes first.
        client.getOutputStream().write('N');
        in.readFully(new byte[in.readInt() - 4]);
        ByteQueue greeting = new ByteQueue(64);
        greet(new FrameWriter(greeting));
        clients.add(client); // Before the client can know that it is in.
        client.getOutputStream().write(greeting.toByteArray());
        Thread thread = new Thread(() -> answer(in, client), "fake backend");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        // The test is over.
      }
    }
  }

  /** Is ready whenever it is asked. */
  private static void answer(DataInputStream in, Socket client) {
    try {
      while (true) {
        byte type = in.readByte();
        in.readFully(new byte[in.readInt() - 4]);
        if (type == FrontendType.SYNC) {
          client.getOutputStream().write(new byte[] {BackendType.READY_FOR_QUERY, 0, 0, 0, 5, 'I'});
        }
      }
    } catch (IOException e) {
      return; // The router has closed the connection, or the test has.
    }
  }

  private void greet(FrameWriter writer) {
    if (refusal != null) {
      refusal.write(writer, BackendType.ERROR_RESPONSE);
      return;
    }
    writer.begin(BackendType.AUTHENTICATION).int4(0).end();
    writer.begin(BackendType.BACKEND_KEY_DATA).int4(1).int4(2).end();
    writer.begin(BackendType.READY_FOR_QUERY).int1('I').end();
  }

  /** Lets nobody in any more. */
  void refuse(ErrorFields error) {
    refusal = error;
  }

  /** How many connections were opened so far. */
  int opened() {
    return clients.size();
  }

  /** Says something unasked on every connection. */
  void say(byte type, String text) {
    ByteQueue message = new ByteQueue(64);
    new FrameWriter(message).begin(type).string(text).end();
    for (Socket client : clients) {
      try {
        client.getOutputStream().write(message.toByteArray());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Leaves all connections behind, as a restart does. */
  void restart() {
    clients.forEach(FakeNode::close);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    restart();
  }
}
