package org.abelian.router.execution;

import java.io.IOException;
import org.abelian.router.error.AbelianException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;

/** The answer of one node to an Execute whose rows are not the client's as they are. */
public final class CollectReply extends Reply {
  private final NodeConnection connection;
  private final RowSink rows;

  /** Collects the rows. */
  public CollectReply(NodeConnection connection, RowSink rows) {
    this.connection = connection;
    this.rows = rows;
  }

  @Override
  boolean awaits(NodeConnection other) {
    return other == connection;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    try {
      connection.timeout(context.timeout());
      collect(context);
    } catch (NodeLostException e) {
      context.nodeLost(connection, e);
    } catch (AbelianException unwanted) {
      context.fail(unwanted); // What still comes is passed over with the rest of the group.
    }
    return true;
  }

  private void collect(ReplyContext context) throws NodeLostException {
    for (; ; ) {
      int length = awaitFrame();
      byte[] array = connection.incoming().array();
      int at = connection.incoming().start();
      byte type = array[at];
      if (type == BackendType.DATA_ROW) {
        rows.take(NodeCall.row(array, at));
      } else if (type == BackendType.ERROR_RESPONSE) {
        context.nodeError(connection, array, at, length);
      } else if (type == BackendType.PARAMETER_STATUS) {
        NodeReply.remember(connection, array, at, length);
      }
      connection.incoming().consume(length);
      if (type == BackendType.COMMAND_COMPLETE || type == BackendType.ERROR_RESPONSE) {
        return;
      }
    }
  }

  /** A row that is too large is not even read. */
  private int awaitFrame() throws NodeLostException {
    ByteQueue incoming = connection.incoming();
    for (; ; ) {
      int length = incoming.frameAt(incoming.start());
      if (length > 0) {
        return length;
      }
      boolean row = incoming.size() >= 5 && connection.frameType() == BackendType.DATA_ROW;
      if (row && BigEndian.int4(incoming.array(), incoming.start() + 1) > rows.room()) {
        throw rows.tooMuch();
      }
      connection.fill();
    }
  }
}
