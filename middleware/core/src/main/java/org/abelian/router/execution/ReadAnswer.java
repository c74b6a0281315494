package org.abelian.router.execution;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;

/**
 * What one node has answered to one of several reads that it got in one group of messages. It is
 * small, and kept until it can be passed on.
 */
public final class ReadAnswer {
  /** Larger answers are dropped. */
  private static final int LARGEST = 1 << 15;

  /** So are those for which there is no room behind others. */
  private static final int LARGEST_OF_ALL = 1 << 19;

  private static final int HEADER = 5;

  private static final byte[] NOTHING = {};

  private byte[] description;
  private byte[] rows = NOTHING;
  private byte[] tag;
  private String evidence;
  private boolean isTooLarge;

  /** There was no room for it behind others. */
  private boolean isDropped;

  /** There was more than an answer, a notice, say. */
  private boolean isMore;

  private boolean failed;

  private ReadAnswer() {}

  /** The RowDescription; null when the node was not asked for one. */
  public byte[] description() {
    return description;
  }

  /** The DataRows, one behind the other. */
  public byte[] rows() {
    return rows;
  }

  /** The CommandComplete. */
  public byte[] tag() {
    return tag;
  }

  /** The tag that it names. */
  public String command() {
    return CString.read(tag, 5, tag.length - 1);
  }

  /** What the node has told of the read's snapshot; null for nothing. */
  public String evidence() {
    return evidence;
  }

  /** True when it is whole, and nothing else came with it. */
  public boolean isUsable() {
    return !isTooLarge && !isDropped && !isMore && !failed && tag != null;
  }

  /** True when its text gives more than a batch has room for, or more than rows. */
  public boolean isForAlone() {
    return isTooLarge || isMore;
  }

  /** True when it ended with an error, and all behind it was skipped. */
  public boolean hasFailed() {
    return failed;
  }

  /**
   * Reads the answers to so many reads, and to the Sync behind them.
   *
   * @param client of the session whose connection it is; settings of the node are reported to it
   * @return one for each read, and one for the Sync
   */
  public static List<ReadAnswer> await(NodeConnection connection, int reads, ReplyContext client)
      throws NodeLostException {
    List<ReadAnswer> answers = new ArrayList<>(reads + 1);
    for (int i = 0; i <= reads; i++) {
      answers.add(new ReadAnswer());
    }
    int place = 0;
    int bytes = 0;
    for (; ; ) {
      ReadAnswer answer = answers.get(place);
      int length = answer.awaitFrame(connection);
      byte type = connection.frameType();
      if (type == BackendType.DATA_ROW) {
        bytes += answer.takeRows(connection, LARGEST_OF_ALL - bytes);
        continue;
      }
      answer.take(connection, type, length, client);
      connection.incoming().consume(length);
      if (type == BackendType.COMMAND_COMPLETE && place < reads) {
        place++;
      } else if (type == BackendType.READY_FOR_QUERY) {
        return answers;
      }
    }
  }

  /** Rows that are too large are dropped as they come. */
  private int awaitFrame(NodeConnection connection) throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    for (; ; ) {
      int length = incoming.frameAt(incoming.start());
      if (length > 0) {
        return length;
      }
      if (incoming.size() >= HEADER && connection.frameType() == BackendType.DATA_ROW) {
        int row = 1 + BigEndian.int4(incoming.array(), incoming.start() + 1);
        if (row > LARGEST) {
          isTooLarge = true;
          drop(connection, row);
          continue;
        }
      }
      connection.fill();
    }
  }

  private static void drop(NodeConnection connection, int length) throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    int left = length;
    while (left > 0) {
      if (incoming.isEmpty()) {
        connection.fill();
      }
      int some = Math.min(left, incoming.size());
      incoming.consume(some);
      left -= some;
    }
  }

  private void take(NodeConnection connection, byte type, int length, ReplyContext client) {
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    switch (type) {
      case BackendType.PARSE_COMPLETE -> connection.prepared().confirm();
      case BackendType.PARAMETER_STATUS ->
          NodeReply.parameterStatus(client, connection, array, at, length);
      case BackendType.BIND_COMPLETE -> {
        evidence = connection.readEvidence();
        connection.readEvidence(null);
      }
      case BackendType.ROW_DESCRIPTION -> {
        Descriptions.translate(client.numbers(), connection.address(), array, at);
        description = Arrays.copyOfRange(array, at, at + length);
      }
      case BackendType.COMMAND_COMPLETE -> tag = Arrays.copyOfRange(array, at, at + length);
      case BackendType.ERROR_RESPONSE -> {
        failed = true;
        NodeCall.lookAt(connection, ErrorFields.read(array, at));
      }
      case BackendType.READY_FOR_QUERY -> {
        connection.transactionStatus(array[at + 5]);
        connection.prepared().endGroup();
      }
      case BackendType.CLOSE_COMPLETE -> {
        // A statement that was prepared too long ago.
      }
      default -> isMore = true; // A notice, say, which its client is to get.
    }
  }

  /**
   * Takes all whole rows that are there with one copy, if there is room for so many bytes.
   *
   * @return how many more bytes are kept than before
   */
  private int takeRows(NodeConnection connection, int room) {
    byte[] array = connection.incoming().array();
    int start = connection.incoming().start();
    int end = start;
    int length = connection.incoming().frameAt(end);
    while (length > 0 && array[end] == BackendType.DATA_ROW) {
      end += length;
      length = connection.incoming().frameAt(end);
    }
    int count = end - start;
    int before = rows.length;
    isTooLarge |= before + count > LARGEST;
    isDropped |= count > room;
    rows = isTooLarge || isDropped ? NOTHING : joined(rows, array, start, end);
    connection.incoming().consume(count);
    return rows.length - before;
  }

  private static byte[] joined(byte[] before, byte[] array, int from, int to) {
    if (before.length == 0) {
      return Arrays.copyOfRange(array, from, to);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream(before.length + to - from);
    all.writeBytes(before);
    all.write(array, from, to - from);
    return all.toByteArray();
  }
}
