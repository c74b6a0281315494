package org.abelian.router.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.TagSum;
import org.abelian.router.placement.KeyText;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * A statement about the one row that a lookup index leads to. It goes to the node where the row
 * was, by what this router remembers or by the index's entry. A row that is found there is the only
 * one. If none is, that says nothing: the row may have moved since, or the entry may have been read
 * before a commit; then all nodes are asked.
 *
 * <p>A read that is all of its group of messages gets its Sync at once. If no row was found, the
 * group is run again, and waits then.
 */
final class LookupExecution extends Execution {
  private static final NodeStatement FIND =
      NodeStatement.of("SELECT abelian.find_lookup_entry($1, $2, $3, $4)");

  private final EngineContext context;
  private final BoundStatement bound;
  private final Route.Lookup route;
  private final Binder binder;
  private final NodePortal portal;
  private final LookupChanges changes;
  private final TagSum sum = new TagSum();
  private final boolean waits;
  private boolean asked;

  /** What asks all nodes; null until that is necessary. */
  private Execution everywhere;

  private LookupExecution(
      EngineContext context,
      BoundStatement bound,
      Route.Lookup route,
      Binder binder,
      NodePortal portal) {
    this.context = context;
    this.waits = !mayRunAgain(context, bound);
    this.bound = waits ? lasting(bound) : bound;
    this.route = route;
    this.binder = binder;
    this.portal = portal;
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

  /** True when nothing but this read would be done again with its group. */
  private static boolean mayRunAgain(EngineContext context, BoundStatement bound) {
    return bound.routed().isPureRead()
        && !context.transactions().state().isOpen()
        && context.retry().isFirstOfSeveral()
        && context.group().runsNext(bound.bind())
        && context.group().isOneStatement();
  }

  /** It may have to be bound once more, when the client's message is gone. */
  private static BoundStatement lasting(BoundStatement bound) {
    BindMessage bind = bound.bind();
    BindMessage copy = new BindMessage();
    copy.look(Arrays.copyOfRange(bind.array(), bind.portalAt() - 5, bind.end()), 0);
    return bound.keeping(copy);
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
    context.backends().requestAnswers();
    replies.runAll();
    if (replies.failed() || rows.isEmpty() || rows.get(0)[0] == null) {
      return null;
    }
    int partition = Integer.parseInt(new String(rows.get(0)[0], StandardCharsets.US_ASCII));
    context.guesses().put(route.index().id(), route.value(), partition);
    return partition;
  }

  @Override
  public void describe(Description wanted) {
    if (!bound.routed().facts().returnsRows()) {
      describeNothing(context.replies(), wanted);
      return;
    }
    portal.describe(wanted);
  }

  /** Is called again when the node has answered. */
  @Override
  public Progress execute(int limit) throws IOException {
    if (everywhere != null) {
      return everywhere.execute(0);
    }
    if (!waits) {
      askOnce();
      return Progress.NEXT;
    }
    if (!asked) {
      ask();
      return Progress.QUIET;
    }
    if (sum.rows() == 0 && sum.count() == 0) {
      return executeEverywhere();
    }
    if (changes != null) {
      changes.apply();
    }
    ReplyQueue replies = context.replies();
    replies.add(RouterWork.then(() -> replies.output().commandComplete(sum.tag())));
    return Progress.NEXT;
  }

  private void askOnce() {
    ReplyQueue replies = context.replies();
    portal.execute(0);
    replies.add(NodeReply.share(portal.connection(), sum));
    replies.add(
        RouterWork.then(
            () -> {
              if (sum.rows() > 0) {
                replies.output().commandComplete(sum.tag());
              } else {
                runAgain();
              }
            }));
  }

  private void runAgain() {
    context.guesses().forget(route.index().id(), route.value());
    if (!context.retry().request(false)) {
      throw new AbelianException(
          SqlState.SERIALIZATION_FAILURE,
          "the row that a lookup index led to is not there any more",
          "Try the statement again.");
    }
    context.replies().fail();
  }

  private void ask() {
    if (bound.routed().writes()) {
      context.retry().forbidAfterWrites();
    }
    portal.execute(0);
    context.replies().add(NodeReply.share(portal.connection(), sum));
    if (changes != null) {
      changes.ask(portal.backend());
    }
    asked = true;
  }

  private Progress executeEverywhere() throws IOException {
    context.guesses().forget(route.index().id(), route.value());
    portal.close();
    everywhere = binder.bind(bound, route.otherwise());
    return everywhere == null ? Progress.NEXT : everywhere.execute(0);
  }

  @Override
  public void close() {
    if (everywhere != null) {
      everywhere.close();
    } else {
      portal.close();
    }
  }
}
