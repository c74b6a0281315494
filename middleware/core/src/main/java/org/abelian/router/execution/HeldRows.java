package org.abelian.router.execution;

import java.io.IOException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;

/**
 * The answer of one node to an Execute, of which the client gets the rows if they are as many as it
 * wants, and else nothing. Until that is known they wait; where they are more bytes than may wait
 * for a client, they are dropped.
 */
public final class HeldRows extends Reply {
  private final NodeConnection connection;
  private final TagSum sum;
  private final long wanted;
  private boolean tooLarge;

  /**
   * The node was told to execute it.
   *
   * @param sum of its rows and tag
   * @param wanted how many rows are enough
   */
  public HeldRows(NodeConnection connection, TagSum sum, long wanted) {
    this.connection = connection;
    this.sum = sum;
    this.wanted = wanted;
  }

  /** True when the client has got them, which are all that it wants. */
  public boolean isEnough() {
    return !tooLarge && sum.rows() >= wanted;
  }

  /** True when the rows were too many bytes. */
  public boolean isTooLarge() {
    return tooLarge;
  }

  @Override
  boolean awaits(NodeConnection other) {
    return other == connection;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    long from = context.output().position();
    try {
      connection.timeout(context.timeout());
      boolean ended = false;
      while (!ended) {
        ended = take(context, from);
      }
    } catch (NodeLostException lost) {
      context.nodeLost(connection, lost);
    }
    if (!context.failed() && !isEnough()) {
      context.output().rewind(from);
    }
    return true;
  }

  /** Takes one message; true when it was the last one. */
  private boolean take(ReplyContext context, long from) throws NodeLostException {
    int length = awaitFrame();
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    byte type = array[at];
    switch (type) {
      case BackendType.DATA_ROW -> {
        sum.row();
        hold(context.output(), from, array, at, length);
      }
      case BackendType.NOTICE_RESPONSE -> context.output().queue().append(array, at, length);
      case BackendType.PARAMETER_STATUS ->
          NodeReply.parameterStatus(context, connection, array, at, length);
      case BackendType.COMMAND_COMPLETE -> sum.add(CString.read(array, at + 5, at + length - 1));
      case BackendType.ERROR_RESPONSE -> context.nodeError(connection, array, at, length);
      default -> {
        // Nothing else answers an Execute of a read.
      }
    }
    connection.incoming().consume(length);
    return type == BackendType.COMMAND_COMPLETE || type == BackendType.ERROR_RESPONSE;
  }

  private void hold(ClientOutput output, long from, byte[] array, int at, int length) {
    tooLarge |= output.position() - from + length > ReplyContext.OUTPUT_MAX;
    if (!tooLarge) {
      output.queue().append(array, at, length);
    }
  }

  /** The length of the next message, which is there as a whole; rows that are too large are not. */
  private int awaitFrame() throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    for (; ; ) {
      int length = incoming.frameAt(incoming.start());
      if (length > 0) {
        return length;
      }
      boolean row = incoming.size() >= 5 && connection.frameType() == BackendType.DATA_ROW;
      int announced = row ? BigEndian.int4(incoming.array(), incoming.start() + 1) : 0;
      if (announced > ReplyContext.OUTPUT_MAX) {
        tooLarge = true;
        drop(1L + announced);
      } else {
        connection.fill();
      }
    }
  }

  private void drop(long bytes) throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    for (long left = bytes; left > 0; ) {
      int count = (int) Math.min(left, incoming.size());
      incoming.consume(count);
      left -= count;
      if (left > 0) {
        connection.fill();
      }
    }
  }
}
