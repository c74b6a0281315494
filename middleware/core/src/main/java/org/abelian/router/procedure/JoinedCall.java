package org.abelian.router.procedure;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ProcedureReply;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.session.Progress;
import org.abelian.router.session.SnapshotGate;

/**
 * A call that is a statement of the session's transaction: on one node that node's own, on several
 * a part of a coordinated transaction. Every call can run in this way.
 */
public final class JoinedCall extends Execution {
  /** The texts that tell a node who takes part; as many as there are sets of nodes. */
  private static final ConcurrentHashMap<String, NodeStatement> TELLING = new ConcurrentHashMap<>();

  private static final int TEXTS_MAX = 10_000;

  private final EngineContext context;
  private final ProcedureCall call;
  private final byte[] name;
  private final int[] resultFormats;

  private JoinedCall(EngineContext context, ProcedureCall call, byte[] name, int[] resultFormats) {
    this.context = context;
    this.call = call;
    this.name = name;
    this.resultFormats = resultFormats;
  }

  /** Binds the call on all participants. */
  public static Execution bind(EngineContext context, BoundStatement bound, ProcedureCall call)
      throws IOException {
    SnapshotGate.Hold gates = null;
    if (!call.isSingle()) {
      context.transactions().openImplicit();
      context.transactions().shareClock(call.routed());
      context.transactions().state().voteEarly();
      // The queries of a function that is not VOLATILE see what the call itself does.
      if (!call.routed().writes()) {
        context.transactions().enterTogether(call.participants(), false);
        gates = context.transactions().state().hasCommonSnapshot() ? null : gates(context, call);
      }
    }
    boolean bindsAll = false;
    try {
      for (Backend backend : call.participants()) {
        bindOn(context, bound, call, backend);
      }
      bindsAll = true;
    } finally {
      if (gates != null && !bindsAll) {
        gates.release();
      }
    }
    if (gates != null) {
      context.replies().add(RouterWork.then(gates::releaseAfterRead));
      context.replies().add(RouterWork.always(gates::release));
    }
    bound.answerBind(context.replies());
    return call.isSingle()
        ? SingleNodeExecution.of(context, bound, call.participants().get(0), null)
        : new JoinedCall(context, call, bound.portal(), bound.bind().resultFormats());
  }

  private static SnapshotGate.Hold gates(EngineContext context, ProcedureCall call)
      throws IOException {
    List<Integer> nodes = Backend.nodes(call.participants());
    return context.gate().take(call.routed().router().catalog(), nodes);
  }

  private static void bindOn(
      EngineContext context, BoundStatement bound, ProcedureCall call, Backend backend) {
    context.transactions().enter(backend, call.routed());
    context.transactions().inject(backend, telling(backend, call.participants()), false);
    NodeConnection connection = backend.connection;
    byte[] prepared =
        context.backends().prepare(backend, call.statement().statement(), true, context.replies());
    bound.bind().write(connection.writer(), prepared);
    context.replies().add(NodeReply.swallow(connection));
  }

  /** Tells the node who it is and who takes part, for the call that comes next. */
  public static NodeStatement telling(Backend self, List<Backend> participants) {
    String value =
        participants.stream()
            .map(backend -> Integer.toString(backend.nodeId))
            .collect(Collectors.joining(",", self.nodeId + ":", ""));
    if (TELLING.size() > TEXTS_MAX) {
      TELLING.clear();
    }
    return TELLING.computeIfAbsent(
        value,
        text ->
            NodeStatement.of(
                "SELECT pg_catalog.set_config('abelian.participants', '" + text + "', true)"));
  }

  @Override
  public void describe(Description wanted) {
    if (wanted == Description.COLUMNS && !call.routed().facts().returnsRows()) {
      return;
    }
    Backend first = call.participants().get(0);
    context.backends().touch(first);
    first.connection.writer().begin(FrontendType.DESCRIBE).int1('P').string(name).end();
    context
        .replies()
        .add(
            wanted == Description.FULL
                ? NodeReply.pass(first.connection)
                : NodeReply.describeRows(first.connection));
  }

  @Override
  public Progress execute(int limit) {
    ResultMerge merge = call.newMerge(resultFormats);
    for (Backend backend : call.participants()) {
      context.backends().touch(backend);
      backend.wrote |= call.routed().writes();
      backend.unheard = true;
      backend.connection.writer().begin(FrontendType.EXECUTE).string(name).int4(0).end();
      context.replies().add(new ProcedureReply(backend.connection, merge));
    }
    context.replies().add(RouterWork.then(() -> merge.finish(context.replies().output())));
    return Progress.NEXT;
  }
}
