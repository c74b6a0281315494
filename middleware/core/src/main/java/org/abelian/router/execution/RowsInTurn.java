package org.abelian.router.execution;

import java.util.Arrays;
import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;

/**
 * The answers of several nodes to their parts of one INSERT ... RETURNING: rows pass in the order
 * in which the statement has them, counts are added. A node that gives fewer rows than it was given
 * gives its next one earlier; of one that gives more, as it may in a MERGE, the rest comes last.
 */
public final class RowsInTurn extends Reply {
  private final List<NodeConnection> parts;
  private final List<Integer> order;
  private final TagSum sum;
  private final boolean[] over;
  private int next;

  /**
   * All have been sent their part.
   *
   * @param parts the connections, each of which answers one Execute
   * @param order for each row of the statement, whose it is
   */
  public RowsInTurn(List<NodeConnection> parts, List<Integer> order, TagSum sum) {
    this.parts = List.copyOf(parts);
    this.order = List.copyOf(order);
    this.sum = sum;
    this.over = new boolean[parts.size()];
  }

  @Override
  boolean awaits(NodeConnection connection) {
    int part = parts.indexOf(connection);
    return part >= 0 && !over[part];
  }

  @Override
  public boolean run(ReplyContext context) {
    for (; next < order.size(); next++) {
      if (context.isFull()) {
        return false;
      }
      if (!read(context, order.get(next))) {
        return true;
      }
    }
    for (int part = 0; part < parts.size(); part++) {
      while (!over[part]) {
        if (context.isFull()) {
          return false;
        }
        if (!read(context, part)) {
          return true;
        }
      }
    }
    return true;
  }

  /** Reads a part to its next row, or to its end; false after a failure. */
  private boolean read(ReplyContext context, int part) {
    NodeConnection connection = parts.get(part);
    try {
      connection.timeout(context.timeout());
      boolean row = false;
      while (!over[part] && !row && !context.failed()) {
        row = take(context, part);
      }
    } catch (NodeLostException lost) {
      context.nodeLost(connection, lost);
    }
    return !context.failed();
  }

  /** Takes one message; true when it was a row. */
  private boolean take(ReplyContext context, int part) throws NodeLostException {
    NodeConnection connection = parts.get(part);
    int length = connection.awaitFrame();
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    byte type = array[at];
    switch (type) {
      case BackendType.DATA_ROW, BackendType.NOTICE_RESPONSE ->
          context.output().queue().append(array, at, length);
      case BackendType.COMMAND_COMPLETE -> {
        sum.add(CString.read(array, at + 5, at + length - 1));
        over[part] = true;
      }
      case BackendType.ERROR_RESPONSE ->
          context.nodeError(connection, Arrays.copyOfRange(array, at, at + length), 0, length);
      case BackendType.PARAMETER_STATUS ->
          NodeReply.parameterStatus(context, connection, array, at, length);
      default -> {
        // Nothing else answers an Execute.
      }
    }
    connection.incoming().consume(length);
    return type == BackendType.DATA_ROW;
  }
}
