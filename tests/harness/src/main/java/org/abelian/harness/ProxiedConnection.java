package org.abelian.harness;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * One connection through a {@link FaultProxy}: relays whole messages in both directions and looks
 * for statements in Query, Parse and Bind.
 */
final class ProxiedConnection {
  private static final int PROTOCOL_MAJOR = 3;
  private static final int CANCEL = 1234 << 16 | 5678;
  private static final byte READY_FOR_QUERY = 'Z';
  private static final int MESSAGE_BYTES_MAX = 64 << 20;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private final Map<String, String> statements = new HashMap<>();

  /** A fault that strikes at the next ReadyForQuery of the node. */
  private volatile Fault atAnswer;

  ProxiedConnection(FaultProxy proxy, Socket client, Socket server) {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
  }

  void start() {
    FaultProxy.startDaemon(() -> relay(this::relayToServer), "proxy to server");
  }

  void cut() {
    FaultProxy.closeQuietly(client);
    FaultProxy.closeQuietly(server);
    proxy.ended(this);
  }

  private interface Direction {
    void run() throws IOException;
  }

  private void relay(Direction direction) {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      direction.run();
    } catch (IOException e) {
      // One side has closed; the other learns of it by the cut.
    } finally {
      cut();
    }
  }

  private void relayToServer() throws IOException {
    DataInputStream in = new DataInputStream(client.getInputStream());
    DataOutputStream out = new DataOutputStream(server.getOutputStream());
    relayStartup(in, out);
    FaultProxy.startDaemon(() -> relay(this::relayToClient), "proxy to client");
    while (true) {
      byte type = in.readByte();
      byte[] body = body(in);
      String text = text(type, body);
      Fault fault = text == null ? null : proxy.trigger(text);
      if (fault != null && fault.moment() == Fault.Moment.ANSWERED) {
        atAnswer = fault;
      } else if (fault != null && fault.strike()) {
        return;
      }
      send(out, type, body);
    }
  }

  /** Startup messages have no type; encryption is refused so that messages stay readable. */
  private void relayStartup(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      byte[] body = body(in);
      int code = ByteBuffer.wrap(body).getInt();
      if (code >>> 16 == 1234 && code != CANCEL) {
        client.getOutputStream().write('N');
        client.getOutputStream().flush();
        continue;
      }
      out.writeInt(body.length + 4);
      out.write(body);
      out.flush();
      if (code != CANCEL && code >>> 16 != PROTOCOL_MAJOR) {
        throw new IOException("unknown protocol " + code);
      }
      return;
    }
  }

  private void relayToClient() throws IOException {
    DataInputStream in = new DataInputStream(server.getInputStream());
    DataOutputStream out = new DataOutputStream(client.getOutputStream());
    ByteArrayOutputStream kept = new ByteArrayOutputStream();
    while (true) {
      byte type = in.readByte();
      byte[] body = body(in);
      Fault fault = atAnswer;
      // The whole answer is kept back until its end, so that the client has none of it at the cut.
      send(new DataOutputStream(fault == null ? out : kept), type, body);
      if (fault != null && type == READY_FOR_QUERY) {
        if (fault.strike()) {
          return;
        }
        atAnswer = null;
        kept.writeTo(out);
        out.flush();
        kept.reset();
      }
    }
  }

  private static byte[] body(DataInputStream in) throws IOException {
    int length = in.readInt() - 4;
    if (length < 0 || length > MESSAGE_BYTES_MAX) {
      throw new IOException("message of " + length + " bytes");
    }
    byte[] body = new byte[length];
    in.readFully(body);
    return body;
  }

  private static void send(DataOutputStream out, byte type, byte[] body) throws IOException {
    byte[] message = new byte[body.length + 5];
    int length = body.length + 4;
    message[0] = type;
    message[1] = (byte) (length >>> 24);
    message[2] = (byte) (length >>> 16);
    message[3] = (byte) (length >>> 8);
    message[4] = (byte) length;
    System.arraycopy(body, 0, message, 5, body.length);
    out.write(message);
    out.flush();
  }

  /** The statement that a message runs, if it is one that does. */
  private String text(byte type, byte[] body) {
    switch (type) {
      case 'Q':
        return string(body, 0);
      case 'P':
        String name = string(body, 0);
        String text = string(body, name.getBytes(StandardCharsets.UTF_8).length + 1);
        statements.put(name, text);
        return null;
      case 'B':
        String portal = string(body, 0);
        int next = portal.getBytes(StandardCharsets.UTF_8).length + 1;
        return statements.get(string(body, next));
      default:
        return null;
    }
  }

  private static String string(byte[] body, int start) {
    int end = start;
    while (body[end] != 0) {
      end++;
    }
    return new String(body, start, end - start, StandardCharsets.UTF_8);
  }
}
