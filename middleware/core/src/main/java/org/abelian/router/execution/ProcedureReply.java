package org.abelian.router.execution;

import java.io.IOException;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;

/** The answer of one participant to the Execute of a distributed procedure. */
public final class ProcedureReply extends Reply {
  private final NodeConnection connection;
  private final ResultMerge merge;

  /** Rows and the tag go into the merge; notices pass. */
  public ProcedureReply(NodeConnection connection, ResultMerge merge) {
    this.connection = connection;
    this.merge = merge;
  }

  @Override
  public boolean run(ReplyContext context) throws IOException {
    try {
      while (!take(context)) {
        // The next message.
      }
    } catch (NodeLostException e) {
      context.nodeLost(connection, e);
    }
    return true;
  }

  /** Takes one message; true when it is the last one. */
  private boolean take(ReplyContext context) throws NodeLostException {
    connection.timeout(context.timeout());
    int length = connection.awaitFrame();
    byte[] array = connection.incoming().array();
    int at = connection.incoming().start();
    byte type = array[at];
    switch (type) {
      case BackendType.DATA_ROW -> merge.row(context.output(), array, at, length);
      case BackendType.COMMAND_COMPLETE -> merge.tag(CString.read(array, at + 5, at + length - 1));
      case BackendType.ERROR_RESPONSE -> context.nodeError(connection, array, at, length);
      case BackendType.NOTICE_RESPONSE -> context.output().queue().append(array, at, length);
      case BackendType.PARAMETER_STATUS ->
          NodeReply.parameterStatus(context, connection, array, at, length);
      default -> {
        // Nothing else comes before the end of a command.
      }
    }
    connection.incoming().consume(length);
    return type == BackendType.COMMAND_COMPLETE || type == BackendType.ERROR_RESPONSE;
  }
}
