package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.placement.KeyText;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;

/**
 * A statement about the one row that a lookup index leads to. It goes to the node where the row
 * was, by what this router remembers or by the index's entry. A row that is found there is the only
 * one. If none is, that says nothing: the row may have moved since, or the entry may have been read
 * before a commit; then all nodes are asked.
 */
final class LookupExecution extends OneNodeFirst {
  private static final NodeStatement FIND =
      NodeStatement.of("SELECT abelian.find_lookup_entry($1, $2, $3, $4)");

  private final Route.Lookup route;
  private final LookupChanges changes;

  private LookupExecution(
      EngineContext context,
      BoundStatement bound,
      Route.Lookup route,
      Binder binder,
      NodePortal portal) {
    super(context, bound, portal, route.otherwise(), binder);
    this.route = route;
    this.changes =
        route.otherwise() instanceof Route.Keeping
            ? new LookupChanges(context, bound.routed())
            : null;
  }

  /**
   * Binds it on the node to which the index leads.
   *
   * @param binder binds it on all nodes, where it leads nowhere
   * @return null when earlier answers must come first, or a node has failed and the client was told
   */
  static Execution bind(
      EngineContext context, BoundStatement bound, Route.Lookup route, Binder binder)
      throws IOException {
    context.transactions().openForSnapshot();
    Integer partition = context.guesses().partition(route.index().id(), route.value());
    if (partition == null) {
      if (!context.replies().isEmpty()) {
        return null;
      }
      partition = find(context, bound.routed(), route);
      if (context.replies().failed()) {
        return null;
      }
    }
    int node = partition == null ? -1 : route.index().nodeOfRows(partition);
    if (node < 0) {
      if (!context.replies().isEmpty()) {
        return null;
      }
      return binder.bind(bound, route.otherwise());
    }
    return bindOn(context, bound, route, binder, node);
  }

  private static Execution bindOn(
      EngineContext context, BoundStatement bound, Route.Lookup route, Binder binder, int node) {
    RoutedStatement routed = bound.routed();
    if (route.otherwise() instanceof Route.Keeping) {
      context.transactions().openImplicit();
    }
    Backend backend = context.backends().backend(routed.router().catalog(), node);
    SeveralNodes.enter(context, backend, routed);
    NodePortal portal = new NodePortal(context, backend, bound.portal());
    portal.bind(bound.statement().statement(), true, bound.bind());
    bound.answerBind(context.replies());
    return new LookupExecution(context, bound, route, binder, portal);
  }

  /**
   * The partition that the entry names; null without one. It is a hint, so it is read by itself:
   * its node need not take part in the transaction.
   */
  private static Integer find(EngineContext context, RoutedStatement routed, Route.Lookup route)
      throws IOException {
    int place = route.value().into(route.index().entries().function());
    int node = route.index().entries().nodeOf(place);
    Backend backend = context.backends().backend(routed.router().catalog(), node);
    boolean apart = !backend.begun && !backend.touched;
    context.transactions().passBy(backend);
    String value = KeyText.of(route.index().column().key(), route.value());
    String index = Integer.toString(route.index().id());
    String seal = backend.connection.seal("lookup", value);
    String router = context.router().toString();
    ReplyQueue replies = context.replies();
    if (NodeCall.sendPrepared(backend.connection, FIND, router, index, value, seal)) {
      replies.add(NodeReply.swallow(backend.connection));
    }
    replies.add(NodeReply.swallow(backend.connection));
    List<byte[][]> rows = new ArrayList<>();
    replies.add(new CollectReply(backend.connection, rows::add));
    if (apart) {
      context.transactions().endApart(backend);
    } else {
      context.backends().requestAnswers();
      replies.runAll();
    }
    if (replies.failed() || rows.isEmpty() || rows.get(0)[0] == null) {
      return null;
    }
    int partition = Integer.parseInt(new String(rows.get(0)[0], StandardCharsets.US_ASCII));
    context.guesses().put(route.index().id(), route.value(), partition);
    return partition;
  }

  /** The client gets the row, which is the only one, as it comes. */
  @Override
  protected Reply answer() {
    return NodeReply.share(portal.connection(), sum);
  }

  @Override
  protected boolean isEnough() {
    return sum.rows() > 0 || sum.count() > 0;
  }

  @Override
  protected void missed() {
    context.guesses().forget(route.index().id(), route.value());
  }

  @Override
  protected void askMore() {
    if (changes != null) {
      changes.ask(portal.backend());
    }
  }

  @Override
  protected void answered() throws IOException {
    if (changes != null) {
      changes.apply();
    }
  }
}
