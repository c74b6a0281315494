package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.Reply;
import org.abelian.router.execution.ReplyContext;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.RowWindow;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.OneNodeOdds;
import org.abelian.router.statement.RoutedStatement;

/** Several nodes read, each its own rows; the client gets them one node after the other. */
public final class ScatterExecution extends Execution {
  private final EngineContext context;
  private final List<NodePortal> portals;

  /** Which of the rows are the client's; null for all. */
  private final RowWindow window;

  /** Is told whether a node alone had them; null when it does not matter. */
  private final OneNodeOdds odds;

  /** Whether each node runs it when the one before it has. */
  private final boolean inTurn;

  /** Whether the nodes have got the Describe and Execute that come next. */
  private boolean ahead;

  private final Portion portion = new Portion();
  private final ForwardPosition position = new ForwardPosition();

  private ScatterExecution(
      EngineContext context,
      List<NodePortal> portals,
      RowWindow window,
      OneNodeOdds odds,
      boolean inTurn,
      boolean ahead) {
    this.context = context;
    this.portals = portals;
    this.window = window;
    this.odds = odds;
    this.inTurn = inTurn;
    this.ahead = ahead;
  }

  /**
   * Binds it on each node, so that all snapshots are of one moment.
   *
   * @return null when a node has failed, and the client was told
   */
  static ScatterExecution bind(EngineContext context, BoundStatement bound, Route.Scatter route)
      throws IOException {
    List<Backend> backends = SeveralNodes.backends(context, bound.routed(), route.nodes());
    List<NodePortal> portals = new ArrayList<>();
    for (Backend backend : backends) {
      portals.add(new NodePortal(context, backend, bound.portal()));
    }
    boolean inTurn =
        bound.routed().locks() && portals.size() > 1 && context.retry().mustKeepOrder();
    boolean ahead = !inTurn && context.group().runsToEnd(bound.bind());
    boolean describes = ahead && context.group().describesNext(bound.bind());
    Bound read = new Bound(bound, text(bound, route), portals, ahead, describes);
    boolean last = ahead && context.group().isOneStatement();
    if (!new JointSnapshot(context, bound.routed(), backends, read, ahead, last).take()) {
      return null;
    }
    bound.answerBind(context.replies());
    OneNodeOdds odds = route.takesAny() ? bound.routed().odds() : null;
    return new ScatterExecution(context, portals, window(route), odds, inTurn, ahead);
  }

  private static RowWindow window(Route.Scatter route) {
    Route.Window window = route.window();
    return window == null ? null : new RowWindow(window.skipped(), window.rows());
  }

  /** What nodes run: the statement itself, unless it skips rows, which may be on any of them. */
  private static NodeStatement text(BoundStatement bound, Route.Scatter route) {
    if (route.window() == null || route.merge().window().text() == null) {
      return bound.statement().statement();
    }
    RoutedStatement routed = bound.routed();
    if (routed.windowed() == null) {
      String text = route.merge().window().text();
      routed.windowed(NodeStatement.of(text, routed.facts().parameters()));
    }
    return routed.windowed();
  }

  /**
   * Its portals.
   *
   * @param text what nodes run
   * @param ahead whether they run at once; else the client will say when, and how many rows it
   *     wants
   * @param describes whether the first one is described before
   */
  private record Bound(
      BoundStatement bound,
      NodeStatement text,
      List<NodePortal> portals,
      boolean ahead,
      boolean describes)
      implements JointRead {
    @Override
    public void bind(int place, byte[] portal) {
      if (portal != null) {
        portals.get(place).rename(portal);
      }
      portals.get(place).bind(text, true, bound.bind());
    }

    @Override
    public void run(int place) {
      if (describes && place == 0) {
        portals.get(place).describe();
      }
      if (ahead) {
        portals.get(place).run(0);
      }
    }

    @Override
    public void close(int place) {
      portals.get(place).closeOwn();
    }

    @Override
    public NodePortal portal(int place) {
      return portals.get(place);
    }
  }

  @Override
  public void describe(Description wanted) {
    if (ahead) {
      portals.get(0).awaitDescription(wanted);
    } else {
      portals.get(0).describe(wanted);
    }
  }

  @Override
  public boolean runsQuiet(int limit) {
    return limit > 0;
  }

  @Override
  public Progress execute(int limit) {
    if (limit > 0) {
      portion.begin(limit);
      context.replies().add(portion);
      return Progress.BARRIER;
    }
    TagSum sum = new TagSum(window);
    if (inTurn) {
      context.replies().add(new PortalsInTurn(context, portals, sum));
    } else {
      executeTogether(sum);
    }
    context.replies().add(RouterWork.then(() -> position.moved(sum.rows(), true)));
    if (odds != null) {
      context.replies().add(RouterWork.then(() -> odds.learn(window.filled(), portals.size())));
    }
    return inTurn ? Progress.BARRIER : Progress.NEXT;
  }

  private void executeTogether(TagSum sum) {
    if (!ahead) {
      portals.forEach(portal -> portal.execute(0));
    }
    ahead = false;
    context.replies().expectRows();
    SeveralNodes.share(
        context, portals, context.backends().joint(SeveralNodes.backends(portals), false), sum);
  }

  /**
   * What a command about it as a cursor comes to; nothing else waits to be answered.
   *
   * @throws RuntimeException where it would have to go backwards
   */
  ForwardPosition.Way way(FetchFacts fetch) {
    return position.way(fetch);
  }

  /** Goes on as a cursor does. */
  Progress fetch(ForwardPosition.Way way, boolean moves) {
    portion.begin(way, moves ? "MOVE " : "FETCH ");
    context.replies().add(portion);
    return Progress.BARRIER;
  }

  @Override
  public void close() {
    portals.forEach(NodePortal::close);
  }

  @Override
  public void forget() {
    portals.forEach(NodePortal::forget);
  }

  /** A limited number of rows, taken from one node after the other. */
  private final class Portion extends Reply {
    private int node;
    private long skipped;
    private long left;
    private long given;
    private TagSum sum;
    private NodeReply rows;

    /** What is told of it; null when the client has sent Execute. */
    private String command;

    void begin(int limit) {
      begin(new ForwardPosition.Way(0, limit, 0), null);
    }

    void begin(ForwardPosition.Way way, String of) {
      command = of;
      skipped = way.skipped();
      left = way.rows();
      given = way.told();
      rows = null;
    }

    @Override
    public boolean run(ReplyContext replies) throws IOException {
      while (!isOver() && skipped + left > 0) {
        if (rows == null) {
          ask();
        }
        if (!rows.run(replies)) {
          return false;
        }
        rows = null;
        if (replies.failed()) {
          return true;
        }
        take(sum.rows());
        node += sum.isSuspended() ? 0 : 1;
      }
      return end(replies);
    }

    private void take(long count) {
      position.moved(count, false);
      if (skipped > 0) {
        skipped -= count;
      } else {
        left -= count;
        given += count;
      }
    }

    private boolean end(ReplyContext replies) throws IOException {
      boolean toEnd = skipped + left > 0;
      position.moved(0, toEnd);
      if (command != null) {
        replies.output().commandComplete(command + given);
        return true;
      }
      if (node == portals.size() || toEnd) {
        replies.output().commandComplete("SELECT " + given);
        return true;
      }
      return FixedMessage.PORTAL_SUSPENDED.run(replies);
    }

    private boolean isOver() {
      return node == portals.size() || window != null && window.isOver();
    }

    private void ask() {
      NodePortal portal = portals.get(node);
      portal.execute((int) Math.min(skipped > 0 ? skipped : left, Integer.MAX_VALUE));
      portal.connection().writer().empty(FrontendType.FLUSH);
      context.backends().flush();
      sum = new TagSum(window);
      boolean hidden = skipped > 0 || "MOVE ".equals(command);
      rows =
          hidden
              ? NodeReply.count(portal.connection(), sum)
              : NodeReply.share(portal.connection(), sum);
    }
  }
}
