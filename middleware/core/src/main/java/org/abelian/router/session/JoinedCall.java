package org.abelian.router.session;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.execution.RouterWork;
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
    for (Backend backend : call.participants()) {
      session.control().enter(backend, call.routed());
      session.control().inject(backend, telling(backend, call.participants()), false);
      NodeConnection connection = backend.connection;
      byte[] name = session.extended().prepare(connection, call.statement().statement(), true);
      bind.write(connection.writer(), name);
      session.replies().add(NodeReply.swallow(connection));
    }
    if (gates != null) {
      session.replies().add(RouterWork.always(gates::release));
    }
    if (answer) {
      session.replies().add(FixedMessage.BIND_COMPLETE);
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
  static NodeStatement telling(Backend self, List<Backend> participants) {
    String value =
        participants.stream()
            .map(backend -> Integer.toString(backend.nodeId))
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
  public Progress execute(Portal.OnNodes portal, byte[] name) {
    ProcedureFacts procedure = portal.call.procedure();
    ResultMerge merge = ResultMerge.of(procedure, portal.resultFormats);
    for (Backend backend : portal.backends) {
      session.backends().touch(backend);
      backend.wrote |= portal.routed.writes();
      backend.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(0).end();
      session.replies().add(new ProcedureReply(backend.connection, merge));
    }
    session.replies().add(RouterWork.then(() -> merge.finish(session.output())));
    return Progress.NEXT;
  }
}
