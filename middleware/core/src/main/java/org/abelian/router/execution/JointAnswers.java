package org.abelian.router.execution;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;

/**
 * The answers of the nodes that run one statement together. They are read one after the other, but
 * while one is waited for, those that are still due are looked at now and then. Once a node has
 * failed, or the rows are not wanted any more, all others are told to stop; what they still say is
 * passed over with the rest of the group.
 */
public final class JointAnswers {
  private final Supplier<List<NodeConnection>> connections;
  private final Consumer<NodeConnection> cancel;
  private final boolean tentative;
  private final List<Reply> due = new ArrayList<>();
  private boolean stopped;

  /**
   * Nothing is due yet.
   *
   * @param connections those that take part, once they have been connected
   * @param cancel asks a node to stop, and returns when that can hit nothing that is sent later
   * @param tentative whether an error found beforehand may turn out to be of no interest: then it
   *     stops the nodes, and nobody is told of it before its turn comes
   */
  public JointAnswers(
      Supplier<List<NodeConnection>> connections,
      Consumer<NodeConnection> cancel,
      boolean tentative) {
    this.connections = connections;
    this.cancel = cancel;
    this.tentative = tentative;
  }

  /** The same reply, as one of these answers. */
  Reply part(Reply reply) {
    due.add(reply);
    stopped = false;
    return new Part(reply);
  }

  private final class Part extends Reply {
    private final Reply reply;

    Part(Reply reply) {
      this.reply = reply;
    }

    @Override
    public boolean runsAfterFailure() {
      return reply.runsAfterFailure();
    }

    @Override
    public boolean run(ReplyContext context) throws IOException {
      if (context.failed()) {
        return reply.run(context);
      }
      List<NodeConnection> all = connections.get();
      if (reply.isBetweenMessages()) {
        tellFailure(all, context);
        watch(all, context);
      }
      boolean goesOn = false;
      try {
        boolean skips = context.failed() && !reply.runsAfterFailure();
        boolean done = skips || reply.run(tentative ? telling(all, context) : context);
        if (done) {
          due.remove(reply);
        }
        goesOn = !context.failed();
        return done;
      } finally {
        all.forEach(connection -> connection.meanwhile(null));
        if (!goesOn) {
          stop(all);
        }
      }
    }
  }

  private void watch(List<NodeConnection> all, ReplyContext context) {
    if (all.size() > 1) {
      all.forEach(connection -> connection.meanwhile(() -> lookAtOthers(connection, all, context)));
    }
  }

  /** One is waited for; another may have failed. */
  private void lookAtOthers(
      NodeConnection awaited, List<NodeConnection> all, ReplyContext context) {
    if (context.failed() || stopped) {
      return;
    }
    boolean failed = false;
    for (NodeConnection other : all) {
      if (other != awaited && due(other) > 0) {
        try {
          other.fillSoon();
          failed |= findError(other) >= 0;
        } catch (NodeLostException lost) {
          context.nodeLost(other, lost);
        }
      }
    }
    tellFailure(all, context);
    if (failed || context.failed()) {
      stop(all);
    }
  }

  /** How many answers a node has to give yet; what stands behind them is of another statement. */
  private int due(NodeConnection connection) {
    return tentative
        ? Integer.MAX_VALUE // Nothing else was sent.
        : (int) due.stream().filter(reply -> reply.awaits(connection)).count();
  }

  private int findError(NodeConnection connection) {
    return connection.findError(due(connection));
  }

  /** Tells of an error that is there already; of those that were told to stop, it is no other. */
  private void tellFailure(List<NodeConnection> all, ReplyContext context) {
    if (tentative || context.failed()) {
      return;
    }
    NodeConnection failed = failed(all);
    if (failed != null) {
      int frame = findError(failed);
      byte[] array = failed.incoming().array();
      context.nodeError(failed, array, frame, failed.incoming().frameAt(frame));
    }
  }

  /** One whose error is there, if possible of its own; null when there is none. */
  private NodeConnection failed(List<NodeConnection> all) {
    NodeConnection failed = null;
    for (NodeConnection connection : all) {
      if (findError(connection) >= 0 && (failed == null || isCancelled(failed))) {
        failed = failed != null && isCancelled(connection) ? failed : connection;
      }
    }
    return failed;
  }

  private ReplyContext telling(List<NodeConnection> all, ReplyContext context) {
    return new FirstFailure(context, () -> stopped ? failed(all) : null);
  }

  private boolean isCancelled(NodeConnection failed) {
    byte[] array = failed.incoming().array();
    return ErrorFields.hasSqlState(array, findError(failed), SqlState.QUERY_CANCELED.code());
  }

  private void stop(List<NodeConnection> all) {
    if (!stopped) {
      stopped = true;
      all.stream().filter(connection -> !connection.isLost()).forEach(cancel);
    }
  }
}
