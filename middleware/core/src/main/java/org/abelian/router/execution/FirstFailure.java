package org.abelian.router.execution;

import java.util.function.Supplier;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;

/**
 * Tells of nodes that were told to stop, because another has failed, what that one has said. That
 * they were cancelled concerns nobody.
 *
 * @param context where all else goes
 * @param culprit the node that has failed, whose error is there already; null when there is none
 */
record FirstFailure(ReplyContext context, Supplier<NodeConnection> culprit)
    implements ReplyContext {
  @Override
  public void nodeError(NodeConnection connection, byte[] array, int frame, int length) {
    boolean cancelled = ErrorFields.hasSqlState(array, frame, SqlState.QUERY_CANCELED.code());
    NodeConnection other = cancelled ? culprit.get() : null;
    if (other == null || other == connection) {
      context.nodeError(connection, array, frame, length);
      return;
    }
    int error = other.findError(Integer.MAX_VALUE);
    context.nodeError(other, other.incoming().array(), error, other.incoming().frameAt(error));
  }

  @Override
  public ClientOutput output() {
    return context.output();
  }

  @Override
  public ObjectNumbers numbers() {
    return context.numbers();
  }

  @Override
  public boolean isFull() {
    return context.isFull();
  }

  @Override
  public boolean failed() {
    return context.failed();
  }

  @Override
  public void fail(RuntimeException cause) {
    context.fail(cause);
  }

  @Override
  public int timeout() {
    return context.timeout();
  }

  @Override
  public void copyIn(CopyTarget target) {
    context.copyIn(target);
  }

  @Override
  public void nodeLost(NodeConnection connection, NodeLostException cause) {
    context.nodeLost(connection, cause);
  }
}
