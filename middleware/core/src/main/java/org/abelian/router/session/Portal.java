package org.abelian.router.session;

import java.util.Arrays;
import java.util.List;
import org.abelian.router.execution.ColumnOrigins;
import org.abelian.router.execution.TagSum;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;

/** A bound statement, ready to be run. */
sealed interface Portal {
  /** The statement. */
  SharedStatement statement();

  /**
   * It lives on one node, under the same name.
   *
   * @param origins of its columns, when it finishes other nodes' rows; else null
   * @param operation what it does, when that is blind; else null
   */
  record OnNode(
      SharedStatement statement,
      RoutedStatement routed,
      Backend backend,
      ColumnOrigins origins,
      BlindOperation operation)
      implements Portal {
    OnNode(SharedStatement statement, RoutedStatement routed, Backend backend, BlindOperation operation) {
      this(statement, routed, backend, null, operation);
    }
  }

  /** The session itself runs it. */
  record OfRouter(SharedStatement statement, RoutedStatement routed) implements Portal {}

  /**
   * It has been run, together with those of other sessions.
   *
   * @param rows how many rows it has met
   */
  record Combined(SharedStatement statement, long rows) implements Portal {}

  /** It lives on several nodes, under the same name on each. */
  final class OnNodes implements Portal {
    private final SharedStatement statement;
    final RoutedStatement routed;
    final Route route;
    final List<Backend> backends;

    /** How many backends have run it to the end. */
    int progress;

    /** True while an Execute with a row limit goes from node to node. */
    boolean running;

    /** What the current node gives. */
    TagSum sum = new TagSum();

    /** How many rows the current Execute may still give. */
    int rowsLeft;

    /** How many rows the current Execute has given. */
    long given;

    /** What runs it, when it is the call of a distributed procedure; else null. */
    ProcedureStrategy strategy;

    /** The call of a distributed procedure; else null. */
    ProcedureCall call;

    /** What its intent holds, when the call is to run as an independent transaction; else null. */
    String intent;

    /** What it does, when the call is to commit in one round; else null. */
    CommutingWork work;

    /** The Bind of such a call. */
    BindMessage bind;

    /** True when the client waits for the description of such a call's result. */
    boolean describes;

    /** What it answers, when it is an EXPLAIN that the router answers; else null. */
    Explain.Answer explanation;

    /** In which formats the client wants the columns of a result that the router puts together. */
    int[] resultFormats = {};

    OnNodes(SharedStatement statement, RoutedStatement routed, Route route, List<Backend> backends) {
      this.statement = statement;
      this.routed = routed;
      this.route = route;
      this.backends = backends;
    }

    /** Of a call that needs no vote; keeps its Bind, which has to outlive its message. */
    static OnNodes withBind(ProcedureCall call, BindMessage bind) {
      OnNodes portal = new OnNodes(call.statement(), call.routed(), null, call.participants());
      portal.bind = new BindMessage();
      portal.bind.look(Arrays.copyOfRange(bind.array(), bind.portalAt() - 5, bind.end()), 0);
      return portal;
    }

    /**
     * True when it is a call that has not been sent to any node, and will commit without a vote.
     */
    boolean needsNoVote() {
      return intent != null || work != null;
    }

    @Override
    public SharedStatement statement() {
      return statement;
    }
  }
}
