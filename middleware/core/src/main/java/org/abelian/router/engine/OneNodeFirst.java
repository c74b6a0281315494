package org.abelian.router.engine;

import java.io.IOException;
import java.util.Arrays;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.TagSum;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;

/**
 * A statement that one node is likely to answer alone. It is asked, and all nodes run the statement
 * anew when that was not enough. Until then the client gets nothing of the answer.
 *
 * <p>A read that is all of its group of messages gets its Sync at once. If the node's answer was
 * not enough, the group is run again, and waits then.
 */
abstract class OneNodeFirst extends Execution {
  protected final EngineContext context;
  protected final BoundStatement bound;
  protected final NodePortal portal;
  protected final TagSum sum = new TagSum();
  private final Route everywhereRoute;
  private final Binder binder;
  private final boolean waits;
  private boolean asked;

  /** Whether the node's answer is the client's, and all that is still to come is. */
  private boolean settled;

  /** What asks all nodes; null until that is necessary. */
  private Execution everywhere;

  /**
   * It is bound on the node.
   *
   * @param portal of that node
   * @param everywhere the route over all nodes
   * @param binder binds it on these
   */
  protected OneNodeFirst(
      EngineContext context,
      BoundStatement bound,
      NodePortal portal,
      Route everywhere,
      Binder binder) {
    this.context = context;
    this.waits = !mayRunAgain(context, bound);
    this.bound = waits ? lasting(bound) : bound;
    this.portal = portal;
    this.everywhereRoute = everywhere;
    this.binder = binder;
  }

  /** The node's answer to Execute, whose rows and tag go into {@link #sum}. */
  protected abstract Reply answer();

  /** Whether what the node has answered is all that there is to say. */
  protected abstract boolean isEnough();

  /** The node's answer was not enough. */
  protected abstract void missed();

  /** Something goes to the node together with the Execute of a statement that is no mere read. */
  protected void askMore() {
    // Most have nothing to ask.
  }

  /** The node's answer is the client's. */
  protected void answered() throws IOException {
    // Most have nothing to do.
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

  @Override
  public void describe(Description wanted) {
    if (!bound.routed().facts().returnsRows()) {
      describeNothing(context.replies(), wanted);
      return;
    }
    portal.describe(wanted);
  }

  @Override
  public boolean runsQuiet(int limit) {
    return everywhere != null && everywhere.runsQuiet(limit);
  }

  /** Is called again when the node has answered. */
  @Override
  public Progress execute(int limit) throws IOException {
    if (everywhere != null) {
      return everywhere.execute(limit);
    } else if (settled) {
      portal.execute(limit);
      context.replies().add(NodeReply.pass(portal.connection()));
      return Progress.NEXT;
    } else if (!waits) {
      askOnce(limit);
      return Progress.NEXT;
    } else if (!asked) {
      ask(limit);
      return Progress.QUIET;
    } else if (!isEnough()) {
      return executeEverywhere(limit);
    }
    answered();
    settled = true;
    context.replies().add(RouterWork.then(this::tell));
    return Progress.NEXT;
  }

  /** The end of what the node has answered. */
  private void tell() {
    if (sum.isSuspended()) {
      FixedMessage.PORTAL_SUSPENDED.run(context.replies());
    } else {
      context.replies().output().commandComplete(sum.tag());
    }
  }

  private void askOnce(int limit) {
    portal.execute(limit);
    context.replies().add(answer());
    context
        .replies()
        .add(
            RouterWork.then(
                () -> {
                  if (isEnough()) {
                    answered();
                    tell();
                  } else {
                    runAgain();
                  }
                }));
  }

  private void runAgain() {
    missed();
    if (!context.retry().request(false)) {
      throw new AbelianException(
          SqlState.SERIALIZATION_FAILURE,
          "the node that was asked first does not have all of the answer",
          "Try the statement again.");
    }
    context.replies().fail();
  }

  private void ask(int limit) {
    if (bound.routed().writes()) {
      context.retry().forbidAfterWrites();
    }
    portal.execute(limit);
    context.replies().add(answer());
    askMore();
    asked = true;
  }

  private Progress executeEverywhere(int limit) throws IOException {
    missed();
    portal.close();
    everywhere = binder.bind(bound, everywhereRoute);
    return everywhere == null ? Progress.NEXT : everywhere.execute(limit);
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
