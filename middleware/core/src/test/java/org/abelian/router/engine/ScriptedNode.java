package org.abelian.router.engine;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/**
 * A node that answers each statement as it was told to, and lists what it runs in the order in
 * which all nodes of a test do.
 */
public final class ScriptedNode implements AutoCloseable {
  /** How a router marks what gives rows to nodes; scripts are without it. */
  private static final String ROWS_FOR_NODES = NodeStatement.ofRows("", List.of()).sql();

  private static final int CANCEL = 1234 << 16 | 5678;

  private record Answer(String tag, List<String> rows, ErrorFields error, boolean hangs) {}

  private final int id;
  private final List<String> log;
  private final ServerSocket listener;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();

  /** What it tells of the snapshots of reads that ask; the last one stays. */
  private final Deque<String> evidence = new ConcurrentLinkedDeque<>();

  private final AtomicInteger asked = new AtomicInteger();
  private final Map<String, Integer> pauses = new ConcurrentHashMap<>();
  private final Semaphore cancels = new Semaphore(0);

  /**
   * Listens.
   *
   * @param log gets "id: statement" for each that is run; safe for several threads
   */
  ScriptedNode(int id, List<String> log) throws IOException {
    this.id = id;
    this.log = log;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String host() {
    return listener.getInetAddress().getHostAddress();
  }

  int port() {
    return listener.getLocalPort();
  }

  /** From now on this statement gives these rows; columns stand between bars, "null" is NULL. */
  public void answer(String sql, String tag, String... rows) {
    answers.put(sql, new Answer(tag, List.of(rows), null, false));
  }

  /** From now on this statement fails. */
  public void fail(String sql, String sqlState) {
    answers.put(
        sql, new Answer("", List.of(), ErrorFields.of("ERROR", sqlState, "as told"), false));
  }

  /** From now on this statement ends when it is cancelled, and not before. */
  void hang(String sql) {
    ErrorFields cancelled = ErrorFields.of("ERROR", "57014", "cancelled");
    answers.put(sql, new Answer("", List.of(), cancelled, true));
  }

  /** From now on the connection ends when this statement comes. */
  void leave(String sql) {
    answers.put(sql, new Answer(null, List.of(), null, false));
  }

  /** From now on this statement takes so long. */
  void pause(String sql, int millis) {
    pauses.put(sql, millis);
  }

  /** From now on it tells this of the snapshots of reads that ask, one after the other. */
  void shows(String... told) {
    evidence.clear();
    evidence.addAll(List.of(told));
  }

  /** How often it was asked what a snapshot shows. */
  int asked() {
    return asked.get();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "scripted node");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        start(new Backend(client));
      } catch (IOException e) {
        return; // The test is over.
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** One connection. */
  private final class Backend implements Runnable {
    private final Socket client;
    private final ByteQueue queue = new ByteQueue(1024);
    private final FrameWriter writer = new FrameWriter(queue);
    private final Map<String, String> prepared = new HashMap<>();
    private final Map<String, String> portals = new HashMap<>();
    private final Map<String, Integer> given = new HashMap<>();
    private final Map<String, String> values = new HashMap<>();
    private int lines;
    private char status = 'I';
    private boolean skips;

    Backend(Socket client) {
      this.client = client;
    }

    @Override
    public void run() {
      try (client) {
        client.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(client.getInputStream());
        byte[] first = new byte[in.readInt() - 4];
        in.readFully(first);
        if (ByteBuffer.wrap(first).getInt() == CANCEL) {
          log.add(id + ": cancel");
          cancels.release();
          return;
        } // Else it is a request for encryption.
        client.getOutputStream().write('N');
        in.readFully(new byte[in.readInt() - 4]);
        writer.begin(BackendType.AUTHENTICATION).int4(0).end();
        writer.begin(BackendType.BACKEND_KEY_DATA).int4(1).int4(2).end();
        ready();
        for (; ; ) {
          if (in.available() == 0) {
            client.getOutputStream().write(queue.toByteArray());
            queue.clear();
          }
          byte type = in.readByte();
          byte[] body = new byte[in.readInt() - 4];
          in.readFully(body);
          handle(type, body);
        }
      } catch (IOException | UncheckedIOException e) {
        return; // The router has closed the connection, or this was told to.
      }
    }

    /** What asks for evidence, or for a snapshot to be completed. */
    private static boolean isQuestion(String portal) {
      return portal.startsWith("abelian/")
          || portal.startsWith("abelian-as/") && portal.split("/").length > 3;
    }

    private void handle(byte type, byte[] body) {
      if (type == FrontendType.QUERY) {
        for (String sql : string(body, 0).split(";")) {
          given.clear();
          execute(sql.strip(), 0, "");
        }
        ready();
      } else if (type == FrontendType.SYNC) {
        ready();
      } else if (!skips) {
        extended(type, body);
      }
    }

    private void extended(byte type, byte[] body) {
      boolean named =
          type == FrontendType.PARSE || type == FrontendType.BIND || type == FrontendType.EXECUTE;
      String first = named ? string(body, 0) : "";
      switch (type) {
        case FrontendType.PARSE -> {
          String sql = string(body, CString.end(body, 0, body.length) + 1);
          prepared.put(first, sql.replace(ROWS_FOR_NODES, ""));
          writer.empty(BackendType.PARSE_COMPLETE);
        }
        case FrontendType.BIND -> {
          int next = CString.end(body, 0, body.length) + 1;
          portals.put(first, prepared.get(string(body, next)));
          values.put(first, values(body, CString.end(body, next, body.length) + 1));
          given.remove(first);
          if (isQuestion(first) && !evidence.isEmpty()) {
            asked.incrementAndGet();
            String told = evidence.size() > 1 ? evidence.poll() : evidence.peek();
            writer.begin(BackendType.PARAMETER_STATUS).string("abelian.read_evidence");
            writer.string(told).end();
          }
          writer.empty(BackendType.BIND_COMPLETE);
        }
        case FrontendType.DESCRIBE -> writer.empty(BackendType.NO_DATA);
        case FrontendType.EXECUTE -> execute(portals.get(first), limit(body), first);
        case FrontendType.COPY_DATA -> {
          log.add(id + ": " + new String(body, StandardCharsets.UTF_8).strip());
          lines += new String(body, StandardCharsets.UTF_8).split("\n").length;
        }
        case FrontendType.COPY_DONE ->
            writer.begin(BackendType.COMMAND_COMPLETE).string("COPY " + lines).end();
        case FrontendType.COPY_FAIL -> {
          skips = true;
          ErrorFields.of("ERROR", "57014", "as told").write(writer, BackendType.ERROR_RESPONSE);
        }
        case FrontendType.CLOSE -> writer.empty(BackendType.CLOSE_COMPLETE);
        default -> {
          // Flush: what was answered goes out anyway. Terminate: the router closes the connection.
        }
      }
    }

    private void execute(String sql, int limit, String portal) {
      if (skips) {
        return;
      }
      log.add(id + ": " + sql + values.getOrDefault(portal, ""));
      Answer answer = answers.getOrDefault(sql, new Answer(sql, List.of(), null, false));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauses.getOrDefault(sql, 0)));
      if (answer.tag() == null) {
        throw new UncheckedIOException(new IOException("as told"));
      }
      if (answer.hangs()) {
        cancels.acquireUninterruptibly();
      }
      if (answer.error() != null) {
        skips = true;
        status = status == 'T' ? 'E' : status;
        answer.error().write(writer, BackendType.ERROR_RESPONSE);
        return;
      }
      if (sql.startsWith("COPY ")) {
        lines = 0;
        writer.begin(BackendType.COPY_IN_RESPONSE).int1(0).int2(0).end();
        return;
      }
      int from = given.getOrDefault(portal, 0);
      int left = answer.rows().size() - from;
      int to = from + (limit == 0 ? left : Math.min(left, limit));
      for (String row : answer.rows().subList(from, to)) {
        writeRow(row);
      }
      given.put(portal, to);
      status =
          switch (sql) {
            case "BEGIN" -> 'T';
            case "COMMIT", "ROLLBACK" -> 'I';
            default -> status;
          };
      if (limit > 0 && to - from == limit) {
        writer.empty(BackendType.PORTAL_SUSPENDED);
      } else {
        String tag = answer.tag().startsWith("SELECT") ? "SELECT " + (to - from) : answer.tag();
        writer.begin(BackendType.COMMAND_COMPLETE).string(tag).end();
      }
    }

    private void writeRow(String row) {
      String[] columns = row.split("\\|");
      writer.begin(BackendType.DATA_ROW).int2(columns.length);
      for (String column : columns) {
        byte[] value = column.getBytes(StandardCharsets.UTF_8);
        if (column.equals("null")) {
          writer.int4(-1);
        } else {
          writer.int4(value.length).bytes(value);
        }
      }
      writer.end();
    }

    private void ready() {
      skips = false;
      writer.begin(BackendType.READY_FOR_QUERY).int1(status).end();
    }

    /** The values of a Bind as text, in parentheses; nothing when there are none. */
    private static String values(byte[] body, int at) {
      ByteBuffer message = ByteBuffer.wrap(body, at, body.length - at);
      int formats = message.getShort();
      message.position(message.position() + 2 * formats);
      List<String> values = new ArrayList<>();
      for (int left = message.getShort(); left > 0; left--) {
        int length = message.getInt();
        byte[] value = new byte[Math.max(length, 0)];
        message.get(value);
        values.add(length < 0 ? "null" : new String(value, StandardCharsets.UTF_8));
      }
      return values.isEmpty() ? "" : " (" + String.join(", ", values) + ")";
    }

    private static int limit(byte[] body) {
      return ByteBuffer.wrap(body, body.length - 4, 4).getInt();
    }

    private static String string(byte[] body, int at) {
      return CString.read(body, at, CString.end(body, at, body.length));
    }
  }
}
