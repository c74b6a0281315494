package org.abelian.router.execution;

import java.io.IOException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;

/** What a node says up to its next ReadyForQuery, errors too, of which nobody wants to know. */
public final class DiscardReply extends Reply {
  private final NodeConnection connection;

  /** The connection has got a Sync. */
  public DiscardReply(NodeConnection connection) {
    this.connection = connection;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    try {
      connection.timeout(context.timeout());
      while (!discard()) {
        // The next message.
      }
    } catch (NodeLostException e) {
      context.nodeLost(connection, e);
    }
    return true;
  }

  private boolean discard() throws NodeLostException {
    int length = connection.awaitFrame();
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    byte type = array[at];
    if (type == BackendType.READY_FOR_QUERY) {
      connection.transactionStatus(array[at + 5]);
      connection.prepared().endGroup();
    } else if (type == BackendType.PARAMETER_STATUS) {
      NodeReply.remember(connection, array, at, length);
    } else if (type == BackendType.PARSE_COMPLETE) {
      connection.prepared().confirm();
    }
    connection.incoming().consume(length);
    return type == BackendType.READY_FOR_QUERY;
  }
}
