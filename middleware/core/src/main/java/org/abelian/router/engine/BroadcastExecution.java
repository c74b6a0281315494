package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.TableName;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * Every node runs the statement, and the first node's answer is the client's: DDL, changes of
 * reference tables, placement functions. The first node goes ahead, so that two such statements
 * wait for each other there and nowhere else. All of it is one transaction.
 */
public final class BroadcastExecution extends Execution {
  private static final ErrorFields NO_BLOCK =
      ErrorFields.of("WARNING", "25P01", "SET CONSTRAINTS can only be used in transaction blocks");

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<NodePortal> portals;
  private final boolean changesSchema;

  BroadcastExecution(
      EngineContext context,
      RoutedStatement routed,
      List<NodePortal> portals,
      boolean changesSchema) {
    this.context = context;
    this.routed = routed;
    this.portals = portals;
    this.changesSchema = changesSchema;
  }

  /** Null when the first node has failed, and the client was told. */
  static BroadcastExecution bind(EngineContext context, BoundStatement bound, Route.AllNodes route)
      throws IOException {
    RoutedStatement routed = bound.routed();
    List<Node> nodes = nodes(routed, route);
    boolean several = nodes.size() > 1;
    boolean warns = several && routed.utility() == UtilityKind.CONSTRAINTS && outsideBlock(context);
    if (several) {
      context.transactions().openImplicit();
    }
    String rewritten = routed.facts().command().rewritten();
    NodeStatement text =
        rewritten == null ? bound.statement().statement() : NodeStatement.of(rewritten);
    SharedClock clock = null;
    if (several && routed.facts().command().fills()) {
      Backend first = context.backends().backend(nodes.get(0));
      SeveralNodes.enter(context, first, routed);
      clock = SharedClock.of(context, first);
      if (clock == null) {
        return null;
      }
    }
    List<NodePortal> portals = new ArrayList<>();
    for (Node node : nodes) {
      Backend backend = context.backends().backend(node);
      SeveralNodes.enter(context, backend, routed);
      if (routed.changesSchema(route) || routed.utility() == UtilityKind.TRUNCATE) {
        announceChange(context, backend, clock); // TRUNCATE takes entries of lookup indexes along.
      }
      NodePortal portal = new NodePortal(context, backend, bound.portal());
      portal.bind(text, false, bound.bind());
      portals.add(portal);
    }
    if (routed.changesSchema(route)) {
      context.transactions().schemaChanged();
      context.scope().seesUncommittedSchema();
    }
    bound.answerBind(context.replies());
    if (warns) {
      context.replies().add(RouterWork.then(() -> context.replies().output().notice(NO_BLOCK)));
    }
    return new BroadcastExecution(context, routed, portals, routed.changesSchema(route));
  }

  private static boolean outsideBlock(EngineContext context) {
    return !context.transactions().state().isOpen() && context.backends().touched().isEmpty();
  }

  private static List<Node> nodes(RoutedStatement routed, Route.AllNodes route) {
    List<Node> all = routed.router().catalog().nodes();
    boolean refused = route.purpose() == Route.Purpose.NODE_BY_NODE && routed.mustBeAlone();
    return refused ? all.subList(0, 1) : all; // The first refuses it, in PostgreSQL's words.
  }

  /** The same for what computes no values. */
  static void announceChange(EngineContext context, Backend backend) {
    announceChange(context, backend, null);
  }

  /**
   * Tells the node that every node makes this change, and which one it is: sequences of distributed
   * tables count differently on each. Nodes without seals know by their settings.
   *
   * @param clock the one that all have for it; null for their own
   */
  static void announceChange(EngineContext context, Backend backend, SharedClock clock) {
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(backend.nodeId)));
    if (clock != null) {
      arguments.addAll(clock.moments());
    }
    String seal = backend.connection.seal("change_schema", arguments.toArray(String[]::new));
    if (seal != null) {
      String sql =
          "SELECT abelian.change_schema('%s',%s,'%s')"
              .formatted(context.router(), String.join(",", arguments), seal);
      context.transactions().inject(backend, NodeStatement.of(sql), false);
    }
  }

  @Override
  public void describe(Description wanted) {
    boolean rows = routed.facts().command().rewritten() == null && routed.facts().returnsRows();
    if (!rows) {
      describeNothing(context.replies(), wanted);
      return;
    }
    portals.get(0).describe(wanted);
  }

  @Override
  public Progress execute(int limit) {
    if (routed.writes()) {
      context.retry().forbidAfterWrites();
    }
    if (changesSchema) {
      context.scope().seesUncommittedSchema(); // Others may have been analysed since it was bound.
    }
    boolean rewritten = routed.facts().command().rewritten() != null;
    NodePortal first = portals.get(0);
    first.execute(0);
    ReplyQueue replies = context.replies();
    TagSum tag = new TagSum();
    replies.add(
        rewritten
            ? NodeReply.swallow(first.connection())
            : NodeReply.share(first.connection(), tag));
    if (portals.size() > 1) {
      replies.add(RouterWork.then(this::runOthers));
      if (mayMoveRows()) {
        replies.add(RouterWork.then(this::moveRows));
      }
    }
    replies.add(RouterWork.then(context.transactions().state()::locked));
    // Another node may fail where the first did not: then the client gets no tag.
    replies.add(
        RouterWork.then(() -> replies.output().commandComplete(rewritten ? "CALL" : tag.tag())));
    return Progress.BARRIER;
  }

  /** ALTER TABLE, too: what it attaches to a placed table is placed like that. */
  private boolean mayMoveRows() {
    StatementFacts facts = routed.facts();
    return facts.kind() == StatementKind.CLUSTER_CALL
        || changesSchema
            && facts.tag().equals("ALTER TABLE")
            && facts.relations().size() > 1
            && facts.relations().stream().anyMatch(this::isPlaced);
  }

  private boolean isPlaced(RelationFacts table) {
    TableName name = new TableName(table.schema(), table.name());
    return routed.router().catalog().placement(name).isPresent();
  }

  private void runOthers() throws IOException {
    List<NodePortal> others = portals.subList(1, portals.size());
    for (NodePortal portal : others) {
      portal.execute(0);
      portal.connection().writer().empty(FrontendType.FLUSH);
    }
    context.backends().flush();
    for (NodePortal portal : others) {
      context.replies().runNow(NodeReply.swallow(portal.connection()));
    }
  }

  private void moveRows() throws IOException {
    new RowMoves(context, portals.stream().map(NodePortal::backend).toList()).run();
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }
}
