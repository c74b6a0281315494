package org.abelian.router.engine;

import java.io.IOException;
import java.util.List;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyContext;
import org.abelian.router.execution.TagSum;
import org.abelian.router.protocol.FrontendType;

/**
 * Portals of which each runs when the one before it has ended, so that statements that lock the
 * same rows lock them in one order over all nodes (docs/design/router.md, "Order of locks").
 */
final class PortalsInTurn extends Reply {
  private final EngineContext context;
  private final List<NodePortal> portals;
  private final TagSum sum;
  private int place;

  /** Of the portal that runs; null when none does. */
  private NodeReply answer;

  /** None has run. Nothing else may be planned until all have: {@code Progress.BARRIER}. */
  PortalsInTurn(EngineContext context, List<NodePortal> portals, TagSum sum) {
    this.context = context;
    this.portals = portals;
    this.sum = sum;
  }

  @Override
  public boolean run(ReplyContext replies) throws IOException {
    while (place < portals.size()) {
      if (answer == null) {
        start(portals.get(place));
      }
      if (!answer.run(replies)) {
        return false;
      }
      if (replies.failed()) {
        return true;
      }
      answer = null;
      place++;
    }
    replies.output().commandComplete(sum.tag());
    return true;
  }

  private void start(NodePortal portal) {
    portal.execute(0);
    portal.connection().writer().empty(FrontendType.FLUSH);
    context.backends().flush();
    answer = NodeReply.share(portal.connection(), sum);
  }
}
