package org.abelian.router.engine;

import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.session.Progress;

/** A cursor that a node has by DECLARE: to clients it is a portal as well. */
public final class NodeCursorExecution extends Execution {
  private final EngineContext context;
  private final NodePortal portal;

  /**
   * @param name of the cursor
   */
  public NodeCursorExecution(EngineContext context, Backend home, byte[] name) {
    this.context = context;
    portal = new NodePortal(context, home, name);
  }

  @Override
  public void describe(Description wanted) {
    context.transactions().enter(portal.backend(), false);
    portal.describe(wanted);
  }

  @Override
  public Progress execute(int limit) {
    if (!portal.backend().isUsable()) {
      throw ClientError.of(
          "34000", "the cursor was lost with the connection to " + portal.backend());
    }
    context.transactions().enter(portal.backend(), false);
    portal.execute(limit);
    context.replies().add(NodeReply.pass(portal.connection()));
    return Progress.NEXT;
  }

  @Override
  public void close() {
    context.transactions().enter(portal.backend(), false);
    portal.close();
  }
}
