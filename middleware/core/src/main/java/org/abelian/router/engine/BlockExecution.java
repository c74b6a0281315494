package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.session.Progress;

/**
 * A DO block that may change the schema. The first node runs it; if the schema has changed there,
 * the others run it, too, and must have made the same changes. All of it is one transaction.
 */
final class BlockExecution {
  private static final NodeStatement CHANGES = NodeStatement.of("SELECT abelian.block_changes()");

  /** Whether the session has temporary tables there. */
  private static final NodeStatement TEMPORARY =
      NodeStatement.of(
          "SELECT EXISTS (SELECT FROM pg_catalog.pg_class"
              + " WHERE relnamespace OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema())");

  private final EngineContext context;
  private final BoundStatement bound;
  private final List<Backend> nodes = new ArrayList<>();
  private SharedClock clock;

  private BlockExecution(EngineContext context, BoundStatement bound) {
    this.context = context;
    this.bound = bound;
  }

  /** Nothing is done before it is executed. */
  static Execution bind(EngineContext context, BoundStatement bound) {
    bound.answerBind(context.replies());
    BoundStatement kept = bound.keeping(bound.bind().copy());
    return new CommandExecution(context.replies(), new BlockExecution(context, kept)::run);
  }

  /** Is called again when the first node has answered: its notices may be many. */
  private Progress run() throws IOException {
    if (!context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    if (nodes.isEmpty()) {
      context.transactions().openImplicit();
      context.retry().forbidAfterWrites();
      for (Node node : bound.routed().router().catalog().nodes()) {
        nodes.add(context.backends().backend(node));
      }
      Backend first = nodes.get(0);
      SeveralNodes.enter(context, first, bound.routed());
      clock = SharedClock.of(context, first);
      if (clock == null) {
        return Progress.BARRIER;
      }
      send(first, connection -> NodeReply.share(connection, new TagSum()));
      return Progress.QUIET;
    }
    onOtherNodes();
    if (succeeds()) {
      context.replies().add(FixedMessage.tag(bound.routed().facts().tag()));
    }
    return Progress.BARRIER;
  }

  private void onOtherNodes() throws IOException {
    String changes = told(nodes.get(0), CHANGES);
    seeTemporaryObjects(nodes.get(0));
    if (changes.isEmpty()) {
      return;
    }
    context.transactions().schemaChanged();
    context.scope().seesUncommittedSchema();
    List<Backend> others = nodes.subList(1, nodes.size());
    for (Backend other : others) {
      send(other, NodeReply::swallow);
    }
    context.backends().requestAnswers();
    context.replies().runAll();
    for (Backend other : others) {
      check(other, changes);
    }
    if (succeeds()) {
      new RowMoves(context, nodes).run();
    }
  }

  /** The block may have made some on the first node, or dropped them. */
  private void seeTemporaryObjects(Backend first) throws IOException {
    if (told(first, TEMPORARY).equals("t")) {
      context.scope().seesTemporaryObjects();
      first.unpreparable = true;
    }
  }

  private boolean succeeds() {
    return !context.replies().failed();
  }

  private void send(Backend backend, Function<NodeConnection, NodeReply> reply) throws IOException {
    SeveralNodes.enter(context, backend, bound.routed());
    BroadcastExecution.announceChange(context, backend, clock);
    NodePortal portal = new NodePortal(context, backend, bound.portal());
    portal.bind(bound.statement().statement(), false, BindMessage.withoutValues());
    portal.run(0);
    context.replies().add(reply.apply(portal.connection()));
    portal.close();
  }

  private void check(Backend other, String changes) throws IOException {
    if (succeeds() && !told(other, CHANGES).equals(changes)) {
      throw AbelianException.unsupported(
          "the block does something else on one node than on another",
          "What it asks must have the same answer on every node. Send its commands by themselves.");
    }
  }

  private String told(Backend node, NodeStatement question) throws IOException {
    QueryResult result = NodeCall.prepared(node.connection, question, !node.touched);
    if (!result.succeeded()) {
      node.skips = node.touched;
      throw new ClientError(result.errorFields());
    }
    return result.value();
  }
}
