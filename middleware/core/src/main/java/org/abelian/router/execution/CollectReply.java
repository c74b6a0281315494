package org.abelian.router.execution;

import java.io.IOException;
import java.util.function.Consumer;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;

/** The answer of one node to an Execute whose rows are not the client's as they are. */
public final class CollectReply extends Reply {
  private final NodeConnection connection;
  private final Consumer<byte[][]> rows;

  /** Takes the values of each row, null for NULL. */
  public CollectReply(NodeConnection connection, Consumer<byte[][]> rows) {
    this.connection = connection;
    this.rows = rows;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    try {
      for (; ; ) {
        connection.timeout(context.timeout());
        int length = connection.awaitFrame();
        byte[] array = connection.incoming().array();
        int at = connection.incoming().start();
        byte type = array[at];
        if (type == BackendType.DATA_ROW) {
          rows.accept(NodeCall.row(array, at));
        } else if (type == BackendType.ERROR_RESPONSE) {
          context.nodeError(connection, array, at, length);
        } else if (type == BackendType.PARAMETER_STATUS) {
          NodeReply.remember(connection, array, at, length);
        }
        connection.incoming().consume(length);
        if (type == BackendType.COMMAND_COMPLETE || type == BackendType.ERROR_RESPONSE) {
          return true;
        }
      }
    } catch (NodeLostException e) {
      context.nodeLost(connection, e);
      return true;
    }
  }
}
