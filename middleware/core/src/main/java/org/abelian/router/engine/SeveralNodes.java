package org.abelian.router.engine;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.RowsInTurn;
import org.abelian.router.execution.TagSum;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.session.TransactionWork;
import org.abelian.router.statement.RoutedStatement;

/** What executions on several nodes have in common. */
final class SeveralNodes {
  private SeveralNodes() {}

  /** The session's backends of these nodes. */
  static List<Backend> backends(
      EngineContext context, RoutedStatement routed, List<Integer> nodes) {
    Catalog catalog = routed.router().catalog();
    List<Backend> backends = new ArrayList<>(nodes.size());
    for (int node : nodes) {
      backends.add(context.backends().backend(catalog, node));
    }
    return backends;
  }

  /** What is added to the replies meanwhile are answers of these nodes to one statement. */
  static <E extends Exception> void together(
      EngineContext context, List<Backend> backends, Step<E> work) throws E {
    together(context, context.backends().joint(backends, false), work);
  }

  /** The same, where more such answers are added at another time. */
  static <E extends Exception> void together(
      EngineContext context, JointAnswers answers, Step<E> work) throws E {
    ReplyQueue replies = context.replies();
    replies.joint(answers);
    try {
      work.run();
    } finally {
      replies.joint(null);
    }
  }

  /** A part of an execution. */
  interface Step<E extends Exception> {
    /** Does it. */
    void run() throws E;
  }

  /** A statement is about to go to the node, and may write on others as well. */
  static void enter(EngineContext context, Backend backend, RoutedStatement routed) {
    context.transactions().enter(backend, routed);
    if (routed.writes()) {
      context.transactions().state().work().refuse(TransactionWork.SEVERAL_NODES);
    }
  }

  /**
   * Has these nodes one time, if a statement may ask for it that is about to be bound on each.
   * Later, the question for it would take the place of what is bound.
   */
  static void shareClock(EngineContext context, List<Integer> nodes, RoutedStatement routed) {
    if (nodes.size() > 1) {
      context.transactions().shareClock(routed);
    }
  }

  /** The backend of a node where a statement changes rows, as it may on others. */
  static Backend enterToWrite(EngineContext context, int node, RoutedStatement routed) {
    Backend backend = context.backends().backend(routed.router().catalog(), node);
    enter(context, backend, routed);
    context.transactions().state().work().refuse(TransactionWork.SEVERAL_NODES);
    return backend;
  }

  /** The backends of portals. */
  static List<Backend> backends(List<NodePortal> portals) {
    return portals.stream().map(NodePortal::backend).toList();
  }

  /** Adds up the tags of what nodes run, which may be INSERT where the client says UPDATE. */
  static TagSum tags(RoutedStatement routed) {
    boolean update = routed.facts().kind() == StatementKind.UPDATE;
    return update ? new TagSum("UPDATE") : new TagSum();
  }

  /** All run it; rows are given one node after the other, and counts are added. */
  static void execute(
      EngineContext context, List<NodePortal> portals, JointAnswers answers, TagSum sum) {
    portals.forEach(portal -> portal.execute(0));
    share(context, portals, answers, sum);
  }

  /** All have been told to run it; their answers as above. */
  static void share(
      EngineContext context, List<NodePortal> portals, JointAnswers answers, TagSum sum) {
    ReplyQueue replies = context.replies();
    together(
        context,
        answers,
        () -> portals.forEach(portal -> replies.add(NodeReply.share(portal.connection(), sum))));
    replies.add(RouterWork.then(() -> replies.output().commandComplete(sum.tag())));
  }

  /**
   * All run it; rows are given in this order, and counts are added.
   *
   * @param order for each row that was inserted, whose it is
   */
  static void executeInTurn(
      EngineContext context,
      List<NodePortal> portals,
      List<Integer> order,
      JointAnswers answers,
      TagSum sum) {
    ReplyQueue replies = context.replies();
    portals.forEach(portal -> portal.execute(0));
    List<NodeConnection> connections = portals.stream().map(NodePortal::connection).toList();
    together(context, answers, () -> replies.add(new RowsInTurn(connections, order, sum)));
    replies.add(RouterWork.then(() -> replies.output().commandComplete(sum.tag())));
  }
}
