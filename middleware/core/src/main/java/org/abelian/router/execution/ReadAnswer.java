package org.abelian.router.execution;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;

/**
 * What one node has answered to one of several reads that it got in one group of messages. It is
 * small, and kept until it can be passed on.
 */
public final class ReadAnswer {
  /** Larger answers are dropped. */
  private static final int LARGEST = 1 << 15;

  private static final byte[] NOTHING = {};

  private byte[] description;
  private byte[] rows = NOTHING;
  private byte[] tag;
  private String evidence;
  private long waitedNanos;
  private boolean usable = true;
  private boolean reached;

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

  /** How long the node was waited for, in nanoseconds, when all before had come. */
  public long waitedNanos() {
    return waitedNanos;
  }

  /** False when it was too large, or there was more than an answer: it is to be asked alone. */
  public boolean isUsable() {
    return usable && tag != null;
  }

  /** False when the node has skipped it, as one before it has failed. */
  public boolean isReached() {
    return reached;
  }

  /**
   * Reads the answers to so many reads, and to the Sync behind them.
   *
   * @param numbers by which clients know users' objects
   * @return one for each read; those that the node has skipped because of an error are not usable
   */
  public static List<ReadAnswer> await(NodeConnection connection, int reads, ObjectNumbers numbers)
      throws NodeLostException {
    List<ReadAnswer> answers = new ArrayList<>(reads + 1);
    for (int i = 0; i <= reads; i++) {
      answers.add(new ReadAnswer()); // The last one is that of the Sync.
    }
    int place = 0;
    for (; ; ) {
      ReadAnswer answer = answers.get(place);
      answer.reached = true;
      int length = answer.await(connection);
      byte type = connection.frameType();
      if (type == BackendType.DATA_ROW) {
        answer.takeRows(connection);
        continue;
      }
      answer.take(connection, type, length, numbers);
      connection.incoming().consume(length);
      if (type == BackendType.COMMAND_COMPLETE && place < reads) {
        place++;
      } else if (type == BackendType.READY_FOR_QUERY) {
        return answers.subList(0, reads);
      }
    }
  }

  private int await(NodeConnection connection) throws NodeLostException {
    int length = connection.incoming().frameAt(connection.incoming().start());
    if (length > 0) {
      return length;
    }
    long before = System.nanoTime();
    length = connection.awaitFrame();
    waitedNanos += System.nanoTime() - before;
    return length;
  }

  private void take(NodeConnection connection, byte type, int length, ObjectNumbers numbers) {
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    switch (type) {
      case BackendType.PARSE_COMPLETE -> connection.prepared().confirm();
      case BackendType.PARAMETER_STATUS -> NodeReply.remember(connection, array, at, length);
      case BackendType.BIND_COMPLETE -> {
        evidence = connection.readEvidence();
        connection.readEvidence(null);
      }
      case BackendType.ROW_DESCRIPTION -> {
        Descriptions.translate(numbers, connection.address(), array, at);
        description = Arrays.copyOfRange(array, at, at + length);
      }
      case BackendType.COMMAND_COMPLETE -> tag = Arrays.copyOfRange(array, at, at + length);
      case BackendType.ERROR_RESPONSE -> {
        usable = false;
        NodeCall.lookAt(connection, ErrorFields.read(Arrays.copyOfRange(array, at, at + length)));
      }
      case BackendType.READY_FOR_QUERY -> {
        connection.transactionStatus(array[at + 5]);
        connection.prepared().endGroup();
      }
      case BackendType.CLOSE_COMPLETE -> {
        // A statement that was prepared too long ago.
      }
      default -> usable = false; // A notice, say, which its client is to get.
    }
  }

  /** Takes all whole rows that are there with one copy. */
  private void takeRows(NodeConnection connection) {
    byte[] array = connection.incoming().array();
    int start = connection.incoming().start();
    int end = start;
    int length = connection.incoming().frameAt(end);
    while (length > 0 && array[end] == BackendType.DATA_ROW) {
      end += length;
      length = connection.incoming().frameAt(end);
    }
    usable = usable && rows.length + end - start <= LARGEST;
    if (usable) {
      rows = joined(rows, array, start, end);
    }
    connection.incoming().consume(end - start);
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
