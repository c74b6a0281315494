package org.abelian.router.session;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ProcedureReply;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;

/**
 * The call is a statement of the session's transaction: on one node that node's own, on several a
 * part of a coordinated transaction. It takes every call.
 */
final class JoinedCall implements ProcedureStrategy {
  /** The texts that tell a node who takes part; as many as there are sets of nodes. */
  private static final ConcurrentHashMap<String, NodeStatement> TELLING = new ConcurrentHashMap<>();

  private static final int MOST_TEXTS = 10_000;

  private final Session session;

  JoinedCall(Session session) {
    this.session = session;
  }

  @Override
  public Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException {
    SnapshotGate.Hold gates = null;
    if (!call.isSingle()) {
      session.control().openImplicit();
      session.transaction().voteEarly();
      // The queries of a function that is not VOLATILE see what the call itself does.
      if (!call.routed().writes()) {
        gates = session.extended().spread().hold(call.routed(), call.participants());
      }
    }
    for (Link link : call.participants()) {
      session.control().enter(link, call.routed());
      session.control().inject(link, telling(link, call.participants()), false);
      NodeConnection connection = link.connection;
      byte[] name = session.extended().prepare(connection, call.statement().statement(), true);
      bind.write(connection.writer(), name);
      session.plan().add(NodeReply.swallow(connection));
    }
    if (gates != null) {
      session.plan().add(Action.always(gates::release));
    }
    if (answer) {
      session.plan().add(FixedMessage.BIND_COMPLETE);
    }
    if (call.isSingle()) {
      return new Portal.OnNode(call.statement(), call.routed(), call.participants().get(0), null);
    }
    Portal.OnNodes portal =
        new Portal.OnNodes(call.statement(), call.routed(), null, call.participants());
    portal.resultFormats = bind.resultFormats();
    return portal;
  }

  /** Tells the node who it is and who takes part, for the call that comes next. */
  static NodeStatement telling(Link self, List<Link> participants) {
    String value =
        participants.stream()
            .map(link -> Integer.toString(link.nodeId))
            .collect(Collectors.joining(",", self.nodeId + ":", ""));
    if (TELLING.size() > MOST_TEXTS) {
      TELLING.clear();
    }
    return TELLING.computeIfAbsent(
        value,
        text ->
            NodeStatement.of(
                "SELECT pg_catalog.set_config('abelian.participants', '" + text + "', true)"));
  }

  @Override
  public Outcome execute(Portal.OnNodes portal, byte[] name) {
    ProcedureFacts procedure = portal.call.procedure();
    ResultMerge merge = ResultMerge.of(procedure, portal.resultFormats);
    for (Link link : portal.links) {
      session.links().touch(link);
      link.wrote |= portal.routed.writes();
      link.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(0).end();
      session.plan().add(new ProcedureReply(link.connection, merge));
    }
    session.plan().add(Action.then(() -> merge.finish(session.output())));
    return Outcome.NEXT;
  }
}
