package org.abelian.router.execution;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.abelian.router.error.AbelianException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.FrontendType;

/** The answer of one node to one message, passed on or swallowed as it comes. */
public final class NodeReply extends Reply {
  /** What of the answer the client sees. */
  private enum Show {
    /** All of it. */
    ALL,
    /** Rows and descriptions, but not the tag, which goes into a sum. */
    ROWS,
    /** Nothing but errors. */
    ERRORS,
    /** The answer to a Sync that the client asked for: notices and errors. */
    NOTICES
  }

  /** The parameter that carries a transaction's token, for the router only. */
  private static final byte[] TOKEN_PARAMETER =
      "abelian.transaction_id".getBytes(StandardCharsets.US_ASCII);

  /** The parameter that tells how far the node's lane had come, for the router only. */
  private static final byte[] CLOCK_PARAMETER =
      "abelian.lane_clock".getBytes(StandardCharsets.US_ASCII);

  /** The parameter that tells what the session has set, for the router only. */
  private static final byte[] SETTINGS_PARAMETER =
      "abelian.settings".getBytes(StandardCharsets.US_ASCII);

  /** The parameter that tells of advisory locks and temporary objects, for the router only. */
  private static final byte[] LOCKS_PARAMETER =
      "abelian.session_locks".getBytes(StandardCharsets.US_ASCII);

  /** The parameter that tells what a read's snapshot shows, for the router only. */
  private static final byte[] EVIDENCE_PARAMETER =
      "abelian.read_evidence".getBytes(StandardCharsets.US_ASCII);

  /** Frames larger than this are passed on in pieces. */
  private static final int LARGE_FRAME = 8192;

  private final NodeConnection connection;
  private final Show show;
  private final boolean untilReady;
  private final TagSum sum;
  private long passing;

  /** Whether what passes in pieces is for the client. */
  private boolean passingShown;

  private NodeReply(NodeConnection connection, Show show, boolean untilReady, TagSum sum) {
    this.connection = connection;
    this.show = show;
    this.untilReady = untilReady;
    this.sum = sum;
  }

  /** The answer to a message of the extended protocol, as the node gives it. */
  public static NodeReply pass(NodeConnection connection) {
    return new NodeReply(connection, Show.ALL, false, null);
  }

  /** As {@link #pass}, and notes the tag. */
  public static NodeReply pass(NodeConnection connection, TagSum sum) {
    return new NodeReply(connection, Show.ALL, false, sum);
  }

  /** The answer to a message of the extended protocol that the client did not send. */
  public static NodeReply swallow(NodeConnection connection) {
    return new NodeReply(connection, Show.ERRORS, false, null);
  }

  /**
   * The answer to an Execute of which other nodes have their share: rows pass, counts are added.
   */
  public static NodeReply share(NodeConnection connection, TagSum sum) {
    return new NodeReply(connection, Show.ROWS, false, sum);
  }

  /**
   * The answer to a Describe that the client of a simple query did not send: NoData is left out.
   */
  public static NodeReply describeRows(NodeConnection connection) {
    return new NodeReply(connection, Show.ROWS, false, null);
  }

  /** The answer to an Execute of which only the count matters here. */
  public static NodeReply count(NodeConnection connection, TagSum sum) {
    return new NodeReply(connection, Show.ERRORS, false, sum);
  }

  /** The answer to a Sync, ReadyForQuery left out. */
  public static NodeReply sync(NodeConnection connection) {
    return new NodeReply(connection, Show.NOTICES, true, null);
  }

  /** The answer to a Sync of which the client sees errors only, ReadyForQuery left out. */
  public static NodeReply end(NodeConnection connection) {
    return new NodeReply(connection, Show.ERRORS, true, null);
  }

  /** The answer to a simple query or function call, ReadyForQuery left out. */
  public static NodeReply query(NodeConnection connection) {
    return new NodeReply(connection, Show.ALL, true, null);
  }

  /** As {@link #query}, and notes the tag. */
  public static NodeReply query(NodeConnection connection, TagSum sum) {
    return new NodeReply(connection, Show.ALL, true, sum);
  }

  @Override
  boolean awaits(NodeConnection other) {
    return other == connection;
  }

  @Override
  boolean isBetweenMessages() {
    return passing == 0;
  }

  @Override
  public boolean runsAfterFailure() {
    return untilReady;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    if (connection.isLost()) {
      context.nodeLost(
          connection,
          new NodeLostException(connection.address(), new IOException("it was closed")));
      return true;
    }
    try {
      return relay(context);
    } catch (NodeLostException e) {
      context.nodeLost(connection, e);
      return true;
    }
  }

  private boolean relay(ReplyContext context) throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    for (; ; ) {
      if (passing > 0 && !incoming.isEmpty()) {
        passPiece(context, incoming);
        continue;
      }
      int length = passing > 0 ? 0 : incoming.frameAt(incoming.start());
      if (length == 0) {
        if (passing == 0) {
          startLargeFrame(context, incoming);
        }
        if (show != Show.ERRORS && context.isFull()) {
          return false;
        }
        connection.timeout(context.timeout());
        if (passing > 0) {
          connection.meanwhile(null); // No error can be told in the midst of a row.
        }
        connection.fill();
        continue;
      }
      byte type = incoming.array()[incoming.start()];
      if (type == BackendType.DATA_ROW) {
        passRows(context, incoming, length);
      } else {
        Progress progress = take(context, incoming, type, length);
        if (progress != Progress.GOES_ON) {
          return progress == Progress.DONE;
        }
      }
    }
  }

  private boolean showsRows(ReplyContext context) {
    return !context.failed() && (show == Show.ALL || show == Show.ROWS);
  }

  private void passPiece(ReplyContext context, ByteQueue incoming) {
    int count = (int) Math.min(passing, incoming.size());
    if (passingShown && showsRows(context)) {
      try {
        context.output().queue().append(incoming.array(), incoming.start(), count);
      } catch (AbelianException noMemory) {
        context.fail(noMemory); // The rest of the row is still to be read.
      }
    }
    incoming.consume(count);
    passing -= count;
  }

  /** A large row or piece of COPY data need not be there as a whole. */
  private void startLargeFrame(ReplyContext context, ByteQueue incoming) {
    if (incoming.size() < 5) {
      return;
    }
    byte type = incoming.array()[incoming.start()];
    int length = 1 + BigEndian.int4(incoming.array(), incoming.start() + 1);
    if (length > LARGE_FRAME && (type == BackendType.DATA_ROW || type == BackendType.COPY_DATA)) {
      passing = length;
      passingShown = countRow();
      passPiece(context, incoming);
    }
  }

  /** False when the client does not get the row. */
  private boolean countRow() {
    return sum == null || sum.row();
  }

  /**
   * Passes all whole rows that are there with one copy. Those that it leaves out come first or
   * last.
   */
  private void passRows(ReplyContext context, ByteQueue incoming, int firstLength) {
    byte[] array = incoming.array();
    int start = incoming.start();
    int end = start;
    int shown = 0;
    int shownEnd = start;
    for (int length = firstLength; length > 0; length = rowAt(incoming, end)) {
      end += length;
      if (countRow()) {
        shown += length;
        shownEnd = end;
      }
    }
    if (shown > 0 && showsRows(context)) {
      context.output().queue().append(array, shownEnd - shown, shown);
    }
    incoming.consume(end - start);
  }

  /** The length of a row that is there as a whole; 0 if none is. */
  private static int rowAt(ByteQueue incoming, int at) {
    int length = incoming.frameAt(at);
    return length > 0 && incoming.array()[at] == BackendType.DATA_ROW ? length : 0;
  }

  private enum Progress {
    GOES_ON,
    DONE,
    WAITS
  }

  private Progress take(ReplyContext context, ByteQueue incoming, byte type, int length) {
    byte[] array = incoming.array();
    int at = incoming.start();
    Progress progress = Progress.GOES_ON;
    boolean pass = !context.failed() && show == Show.ALL;
    switch (type) {
      case BackendType.READY_FOR_QUERY -> {
        connection.transactionStatus(array[at + 5]);
        if (untilReady) {
          connection.prepared().endGroup();
          incoming.consume(length);
          return Progress.DONE;
        }
        pass = false;
      }
      case BackendType.ERROR_RESPONSE -> {
        context.nodeError(connection, array, at, length);
        pass = false;
        progress = untilReady ? Progress.GOES_ON : Progress.DONE;
      }
      case BackendType.NOTICE_RESPONSE -> pass = !context.failed() && show != Show.ERRORS;
      case BackendType.PARAMETER_STATUS -> {
        parameterStatus(context, connection, array, at, length);
        pass = false;
      }
      case BackendType.NOTIFICATION_RESPONSE -> pass = true;
      case BackendType.COPY_IN_RESPONSE, BackendType.COPY_BOTH_RESPONSE -> {
        if (context.failed()) {
          refuseCopy();
        } else {
          context.copyIn(new CopyToNode(context, connection, !untilReady));
          progress = Progress.WAITS;
        }
      }
      case BackendType.ROW_DESCRIPTION, BackendType.NO_DATA -> {
        pass |= !context.failed() && show == Show.ROWS && type == BackendType.ROW_DESCRIPTION;
        progress = end();
      }
      case BackendType.PARSE_COMPLETE -> {
        connection.prepared().confirm();
        progress = end();
      }
      case BackendType.COMMAND_COMPLETE -> {
        if (sum != null) {
          sum.add(CString.read(array, at + 5, at + length - 1));
        }
        progress = end();
      }
      case BackendType.PORTAL_SUSPENDED -> {
        if (sum != null) {
          sum.suspended();
        }
        progress = end();
      }
      case BackendType.BIND_COMPLETE,
          BackendType.CLOSE_COMPLETE,
          BackendType.EMPTY_QUERY_RESPONSE ->
          progress = end();
      default -> {
        // ParameterDescription is followed by RowDescription or NoData, COPY data by
        // CommandComplete.
      }
    }
    if (pass) {
      Descriptions.translate(context.numbers(), connection.address(), array, at);
      context.output().queue().append(array, at, length);
    }
    incoming.consume(length);
    return progress;
  }

  private Progress end() {
    return untilReady ? Progress.GOES_ON : Progress.DONE;
  }

  /**
   * Something before the COPY has failed, so that no data will come; but the node waits for it and
   * has ignored the Sync.
   */
  private void refuseCopy() {
    CopyToNode.end(connection, FrontendType.COPY_FAIL, new byte[1], untilReady);
    CopyToNode.flush(connection);
  }

  static void parameterStatus(
      ReplyContext context, NodeConnection connection, byte[] array, int at, int length) {
    if (!remember(connection, array, at, length)) {
      context.output().parameterStatus(array, at);
    }
  }

  /** Keeps what is meant for the router alone; false when the ParameterStatus is another one. */
  static boolean remember(NodeConnection connection, byte[] array, int at, int length) {
    int nameEnd = CString.end(array, at + 5, at + length);
    if (Arrays.equals(array, at + 5, nameEnd, TOKEN_PARAMETER, 0, TOKEN_PARAMETER.length)) {
      connection.transactionToken(CString.read(array, nameEnd + 1, at + length - 1));
      return true;
    }
    if (Arrays.equals(array, at + 5, nameEnd, CLOCK_PARAMETER, 0, CLOCK_PARAMETER.length)) {
      connection.laneClock(CString.read(array, nameEnd + 1, at + length - 1));
      return true;
    }
    if (Arrays.equals(array, at + 5, nameEnd, SETTINGS_PARAMETER, 0, SETTINGS_PARAMETER.length)) {
      connection.settings(CString.read(array, nameEnd + 1, at + length - 1));
      return true;
    }
    if (Arrays.equals(array, at + 5, nameEnd, LOCKS_PARAMETER, 0, LOCKS_PARAMETER.length)) {
      connection.outlivesTransactions(CString.read(array, nameEnd + 1, at + length - 1));
      return true;
    }
    if (Arrays.equals(array, at + 5, nameEnd, EVIDENCE_PARAMETER, 0, EVIDENCE_PARAMETER.length)) {
      connection.readEvidence(CString.read(array, nameEnd + 1, at + length - 1));
      return true;
    }
    connection.reported(
        CString.read(array, at + 5, nameEnd), CString.read(array, nameEnd + 1, at + length - 1));
    return false;
  }
}
