package org.abelian.cluster.wire;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/** One connection. Messages are written into a buffer until {@link #flush()}. */
public final class WireClient implements Closeable {
  private static final int PROTOCOL = 3 << 16;
  private static final int CANCEL = 1234 << 16 | 5678;
  private static final int READ_MS_MAX = 60_000;
  private static final int CLEAR_TEXT = 3;
  private static final int SASL = 10;
  private static final int SASL_CONTINUE = 11;
  private static final int SASL_FINAL = 12;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final List<Message> startup = new ArrayList<>();
  private byte[] cancelKey;

  private WireClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(READ_MS_MAX);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }

  /**
   * Connects and authenticates.
   *
   * @throws WireException with the server's ErrorResponse if it refuses
   */
  public static WireClient connect(int port, String user, String password, String database)
      throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    return connect(socket, Binding.NONE, user, password, database);
  }

  /** The same over a connection that is there already, encrypted for instance. */
  public static WireClient connect(
      Socket socket, Binding binding, String user, String password, String database)
      throws IOException {
    WireClient client = new WireClient(socket);
    try {
      client.startUp(binding, user, password, database);
      return client;
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private void startUp(Binding binding, String user, String password, String database)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(ByteBuffer.allocate(4).putInt(PROTOCOL).array());
    for (String text : List.of("user", user, "database", database)) {
      string(body, text);
    }
    body.write(0);
    out.writeInt(body.size() + 4);
    body.writeTo(out);
    out.flush();
    Scram scram = new Scram(password, binding, Long.toHexString(System.nanoTime()) + "nonce");
    while (true) {
      Message message = read();
      startup.add(message);
      switch (message.type()) {
        case 'R' -> authenticate(scram, binding.mechanism(), password, message);
        case 'K' -> cancelKey = message.body();
        case 'E' -> throw new WireException(message);
        case 'Z' -> {
          return;
        }
        default -> {}
      }
    }
  }

  private void authenticate(Scram scram, String mechanism, String password, Message message)
      throws IOException {
    int kind = ByteBuffer.wrap(message.body()).getInt();
    String data = new String(message.body(), 4, message.body().length - 4, StandardCharsets.UTF_8);
    try {
      if (kind == CLEAR_TEXT) {
        send('p', strings(password));
        flush();
      } else if (kind == SASL) {
        byte[] first = scram.first().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, mechanism);
        body.writeBytes(ByteBuffer.allocate(4).putInt(first.length).array());
        body.writeBytes(first);
        send('p', body.toByteArray());
        flush();
      } else if (kind == SASL_CONTINUE) {
        send('p', scram.last(data).getBytes(StandardCharsets.UTF_8));
        flush();
      } else if (kind == SASL_FINAL && !scram.accepts(data)) {
        throw new IOException("the server does not know the password");
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** What the server sent until it was ready for the first time. */
  public List<Message> startup() {
    return startup;
  }

  public WireClient query(String sql) throws IOException {
    return send('Q', strings(sql));
  }

  public WireClient parse(String name, String sql, int... types) throws IOException {
    ByteBuffer oids = ByteBuffer.allocate(2 + 4 * types.length).putShort((short) types.length);
    for (int type : types) {
      oids.putInt(type);
    }
    return send('P', joined(strings(name, sql), oids.array()));
  }

  /** Binds text values, null for NULL; all results in the one format, 0 text or 1 binary. */
  public WireClient bind(String portal, String statement, int resultFormat, String... values)
      throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(strings(portal, statement));
    body.writeBytes(new byte[2]);
    body.writeBytes(ByteBuffer.allocate(2).putShort((short) values.length).array());
    for (String value : values) {
      byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
      body.writeBytes(ByteBuffer.allocate(4).putInt(value == null ? -1 : bytes.length).array());
      body.writeBytes(bytes);
    }
    body.writeBytes(
        ByteBuffer.allocate(4).putShort((short) 1).putShort((short) resultFormat).array());
    return send('B', body.toByteArray());
  }

  /** Describes a statement ('S') or a portal ('P'). */
  public WireClient describe(char kind, String name) throws IOException {
    return send('D', joined(new byte[] {(byte) kind}, strings(name)));
  }

  public WireClient execute(String portal, int rowsMax) throws IOException {
    return send('E', joined(strings(portal), ByteBuffer.allocate(4).putInt(rowsMax).array()));
  }

  /** Runs statements without names or values, one after the other in a group of messages. */
  public WireClient run(String... statements) throws IOException {
    for (String statement : statements) {
      parse("", statement).bind("", "", 0).execute("", 0);
    }
    return this;
  }

  public WireClient closeStatement(String name) throws IOException {
    return send('C', joined(new byte[] {'S'}, strings(name)));
  }

  public WireClient sync() throws IOException {
    return send('S', new byte[0]);
  }

  /** Asks for the answers to what was sent so far, without ending the group of messages. */
  public WireClient askForAnswers() throws IOException {
    return send('H', new byte[0]);
  }

  public WireClient copyData(String data) throws IOException {
    return copyData(data.getBytes(StandardCharsets.UTF_8));
  }

  public WireClient copyData(byte[] data) throws IOException {
    return send('d', data);
  }

  public WireClient copyDone() throws IOException {
    return send('c', new byte[0]);
  }

  public WireClient copyFail(String reason) throws IOException {
    return send('f', strings(reason));
  }

  /** These bytes, whatever they are. */
  public WireClient raw(byte[] bytes) throws IOException {
    out.write(bytes);
    return this;
  }

  /** The beginning of a message that says to be that long, and is not. */
  public WireClient begin(char type, int length) throws IOException {
    out.writeByte(type);
    out.writeInt(length);
    out.write(new byte[length / 2]);
    return this;
  }

  private WireClient send(char type, byte[] body) throws IOException {
    out.writeByte(type);
    out.writeInt(body.length + 4);
    out.write(body);
    return this;
  }

  public WireClient flush() throws IOException {
    out.flush();
    return this;
  }

  public Message read() throws IOException {
    char type = (char) in.readUnsignedByte();
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    return new Message(type, body);
  }

  /** Flushes and reads up to and with the next ReadyForQuery. */
  public List<Message> untilReady() throws IOException {
    flush();
    List<Message> messages = new ArrayList<>();
    Message message;
    do {
      message = read();
      messages.add(message);
    } while (message.type() != 'Z');
    return messages;
  }

  /** Reads so many groups' answers, each up to and with its ReadyForQuery. */
  public List<Message> groups(int count) throws IOException {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.addAll(untilReady());
    }
    return messages;
  }

  /** Flushes and reads up to and with a message of the type. */
  public Message until(char type) throws IOException {
    flush();
    Message message = read();
    while (message.type() != type) {
      if (message.type() == 'E') {
        throw new WireException(message);
      }
      message = read();
    }
    return message;
  }

  /** Asks over a second connection that what this one runs be cancelled. */
  public void cancel() throws IOException {
    cancel(new Socket(InetAddress.getLoopbackAddress(), socket.getPort()));
  }

  /** The same over a connection that is there already. */
  public void cancel(Socket second) throws IOException {
    try (second) {
      DataOutputStream request = new DataOutputStream(second.getOutputStream());
      request.writeInt(cancelKey.length + 8);
      request.writeInt(CANCEL);
      request.write(cancelKey);
      request.flush();
      second.getInputStream().read();
    }
  }

  /** Closes the connection without a word, as the system does for a program that was killed. */
  public void abandon() throws IOException {
    socket.close();
  }

  /** As {@link #abandon}, and what is still under way in both directions is thrown away. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Says that nothing more will be sent; answers still come. */
  public void endSending() throws IOException {
    out.flush();
    socket.shutdownOutput();
  }

  private static byte[] strings(String... texts) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String text : texts) {
      string(body, text);
    }
    return body.toByteArray();
  }

  private static void string(ByteArrayOutputStream body, String text) {
    body.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    body.write(0);
  }

  private static byte[] joined(byte[] first, byte[] second) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(first);
    body.writeBytes(second);
    return body.toByteArray();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
