package org.abelian.router.execution;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;

/**
 * Queries of the router's own on a connection that has nothing else to answer. Results are small.
 */
public final class NodeCall {
  /** More of them than this are dropped. */
  private static final int MOST_NOTICES = 10_000;

  /** In the place of a constraint's name, with 40001. */
  private static final String UNKNOWN_ROUTER = "router_key";

  /** A portal beside the client's. */
  private static final byte[] ASIDE = "abelian_aside".getBytes(StandardCharsets.US_ASCII);

  private NodeCall() {}

  /** Runs one or more statements as a simple query. */
  public static QueryResult simple(NodeConnection connection, String sql) throws NodeLostException {
    sendSimple(connection, sql);
    return await(connection, true);
  }

  /** The same, waiting no longer than so many milliseconds for each part of the answer. */
  public static QueryResult simple(NodeConnection connection, String sql, int millis)
      throws NodeLostException {
    connection.timeout(millis);
    QueryResult answer = simple(connection, sql);
    connection.timeout(0);
    return answer;
  }

  /** Sends a simple query without waiting. */
  public static void sendSimple(NodeConnection connection, String sql) throws NodeLostException {
    connection.prepared().dropUnnamed();
    connection.writer().begin(FrontendType.QUERY).string(sql).end();
    connection.flush();
  }

  /**
   * Runs a prepared statement with text values.
   *
   * @param sync false to stay within the client's group of messages
   */
  public static QueryResult prepared(
      NodeConnection connection, NodeStatement statement, boolean sync, String... values)
      throws NodeLostException {
    boolean parsing = sendPrepared(connection, statement, values);
    connection.writer().empty(sync ? FrontendType.SYNC : FrontendType.FLUSH);
    connection.flush();
    QueryResult result = await(connection, sync);
    if (parsing && !result.succeeded() && !sync) {
      connection.prepared().forget(statement);
    }
    return result;
  }

  /**
   * Runs a statement that comes once. What is prepared before it, in the same group of messages, is
   * forgotten should that fail.
   *
   * @param sync false to stay within the client's group of messages
   */
  public static QueryResult once(NodeConnection connection, NodeStatement statement, boolean sync)
      throws NodeLostException {
    connection.parseUnnamed(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(0).int2(0).int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    writer.empty(sync ? FrontendType.SYNC : FrontendType.FLUSH);
    connection.flush();
    return await(connection, sync);
  }

  /**
   * The same beside the client's unnamed portal, which may have more rows to give. Nothing of the
   * client's group of messages has gone there.
   */
  public static QueryResult onceAside(NodeConnection connection, NodeStatement statement)
      throws NodeLostException {
    connection.parseUnnamed(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).string(ASIDE).int1(0).int2(0).int2(0).int2(0).end();
    writer.begin(FrontendType.EXECUTE).string(ASIDE).int4(0).end();
    writer.begin(FrontendType.CLOSE).int1('P').string(ASIDE).end();
    writer.empty(FrontendType.SYNC);
    connection.flush();
    return await(connection, true);
  }

  /**
   * Appends a prepared statement with text values, without asking for an answer.
   *
   * @return true when it has to be parsed first
   */
  public static boolean sendPrepared(
      NodeConnection connection, NodeStatement statement, String... values) {
    boolean parsing = connection.parse(statement);
    send(connection, connection.prepared().name(statement), values);
    return parsing;
  }

  /**
   * The same of a statement that has this name there.
   *
   * @param values as texts
   */
  public static void send(NodeConnection connection, byte[] name, String... values) {
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    writer.int2(0).int2(values.length);
    for (String value : values) {
      if (value == null) {
        writer.int4(-1);
      } else {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        writer.int4(bytes.length).bytes(bytes);
      }
    }
    writer.int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
  }

  /**
   * Appends a prepared statement without values, in a portal of its own: the client's unnamed one,
   * which may have more rows to give, stays. Three answers come: of Bind, of Execute, of Close.
   *
   * @return true when it has to be parsed first, which is one answer more
   */
  public static boolean sendAside(NodeConnection connection, NodeStatement statement) {
    boolean parsing = connection.parse(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).string(ASIDE).string(connection.prepared().name(statement));
    writer.int2(0).int2(0).int2(0).end();
    writer.begin(FrontendType.EXECUTE).string(ASIDE).int4(0).end();
    writer.begin(FrontendType.CLOSE).int1('P').string(ASIDE).end();
    return parsing;
  }

  /**
   * Appends a client's statement with the client's values, without asking for an answer.
   *
   * @param bind the client's, of which the values and formats are taken
   * @param describes whether a description of its rows is wanted
   */
  public static void sendBound(
      NodeConnection connection, NodeStatement statement, BindMessage bind, boolean describes) {
    connection.parse(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(connection.prepared().name(statement));
    writer.bytes(bind.array(), bind.tailAt(), bind.tailLength()).end();
    if (describes) {
      writer.begin(FrontendType.DESCRIBE).int1('P').int1(0).end();
    }
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
  }

  /**
   * Runs a statement with the values of a client's Bind; its rows come in text form.
   *
   * @param sync false to stay within the client's group of messages
   */
  public static QueryResult valuesOf(
      NodeConnection connection, NodeStatement statement, BindMessage client, boolean sync)
      throws NodeLostException {
    connection.parseUnnamed(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).int1(0);
    int values = client.resultFormatsAt() - client.tailAt();
    writer.bytes(client.array(), client.tailAt(), values).int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    writer.empty(sync ? FrontendType.SYNC : FrontendType.FLUSH);
    connection.flush();
    return await(connection, sync);
  }

  /**
   * Runs a query with one parameter.
   *
   * @param value of the parameter, in binary form
   * @param binary whether its rows are to come in binary form
   * @param sync false to stay within the client's group of messages
   */
  public static QueryResult rowsOf(
      NodeConnection connection,
      NodeStatement statement,
      byte[] value,
      boolean binary,
      boolean sync)
      throws NodeLostException {
    boolean parsing = connection.parse(statement);
    FrameWriter writer = connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(connection.prepared().name(statement));
    writer.int2(1).int2(1).int2(1).int4(value.length).bytes(value);
    writer.int2(1).int2(binary ? 1 : 0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    writer.empty(sync ? FrontendType.SYNC : FrontendType.FLUSH);
    connection.flush();
    QueryResult result = await(connection, sync);
    if (parsing && !result.succeeded() && !sync) {
      connection.prepared().forget(statement);
    }
    return result;
  }

  /**
   * Collects an answer.
   *
   * @param untilReady true to read to ReadyForQuery, false to read to the end of one command or an
   *     error
   */
  public static QueryResult await(NodeConnection connection, boolean untilReady)
      throws NodeLostException {
    List<byte[][]> rows = new ArrayList<>();
    List<byte[]> notices = new ArrayList<>();
    String tag = "";
    byte[] error = null;
    for (; ; ) {
      int length = connection.awaitFrame();
      byte[] array = connection.incoming().array();
      int at = connection.incoming().start();
      byte type = array[at];
      switch (type) {
        case BackendType.DATA_ROW -> rows.add(row(array, at));
        case BackendType.COMMAND_COMPLETE -> tag = CString.read(array, at + 5, at + length - 1);
        case BackendType.ERROR_RESPONSE -> {
          if (error == null) {
            error = Arrays.copyOfRange(array, at, at + length);
            lookAt(connection, ErrorFields.read(error));
          }
        }
        case BackendType.NOTICE_RESPONSE -> {
          if (notices.size() < MOST_NOTICES) {
            notices.add(Arrays.copyOfRange(array, at, at + length));
          }
        }
        case BackendType.PARSE_COMPLETE -> connection.prepared().confirm();
        case BackendType.PARAMETER_STATUS -> NodeReply.remember(connection, array, at, length);
        case BackendType.READY_FOR_QUERY -> {
          connection.transactionStatus(array[at + 5]);
          connection.prepared().endGroup();
        }
        default -> {
          // Descriptions are of no interest here.
        }
      }
      connection.incoming().consume(length);
      boolean end =
          untilReady
              ? type == BackendType.READY_FOR_QUERY
              : type == BackendType.COMMAND_COMPLETE || type == BackendType.ERROR_RESPONSE;
      if (end) {
        return new QueryResult(rows, tag, notices, error);
      }
    }
  }

  /** What an error says about the connection itself: the node may have forgotten the router. */
  static void lookAt(NodeConnection connection, ErrorFields error) {
    if (UNKNOWN_ROUTER.equals(error.get(ErrorFields.CONSTRAINT))) {
      connection.forgetSealKey();
    }
  }

  /** The values of the DataRow at an index. */
  static byte[][] row(byte[] array, int frame) {
    byte[][] values = new byte[BigEndian.int2(array, frame + 5) & 0xffff][];
    int at = frame + 7;
    for (int i = 0; i < values.length; i++) {
      int length = BigEndian.int4(array, at);
      at += 4;
      if (length >= 0) {
        values[i] = Arrays.copyOfRange(array, at, at + length);
        at += length;
      }
    }
    return values;
  }
}
