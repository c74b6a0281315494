package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.pool.NodeStatement;

/**
 * Sees to it that what one node says was set holds on the session's other nodes: for the rest of
 * the transaction when one is open, else for the session. Nodes report at the end of each group of
 * messages; within a group they are asked, after what is known to set something.
 */
final class SettingsWatch {
  /** A command, which nodes answer whatever placement the router knows. */
  private static final NodeStatement ASK = NodeStatement.of("SHOW abelian.settings");

  private final Session session;

  /** The group has commands after which nodes rightly report something else. */
  private boolean expected;

  /** The nodes that have set something in the transaction, or in the group, the latest last. */
  private final List<Link> origins = new ArrayList<>();

  SettingsWatch(Session session) {
    this.session = session;
  }

  /** A group of messages begins. */
  void beginGroup() {
    expected = false;
    if (!session.transaction().isOpen()) {
      origins.clear();
    }
  }

  /** The client's own command changes settings, on all nodes of the transaction alike. */
  void expect() {
    expected = true;
  }

  /** Asks a node, once it has answered what came before, and lets no other statement go before. */
  void ask(Link link) {
    if (session.links().touched().size() > 1) {
      session.control().openImplicit(); // The other nodes are in the midst of the group, too.
    }
    refresh(link);
    session.plan().add(Action.then(() -> changed(link)));
    session.groups().settleBeforeNext();
  }

  /** The transaction's COMMIT is on its way to its only node: what is set then is to be known. */
  void askBeforeEnd(Link link) {
    if (!origins.isEmpty() || session.transaction().changesSettings()) {
      refresh(link);
    }
  }

  private void refresh(Link link) {
    boolean parsing = NodeCall.sendPrepared(link.connection, ASK);
    if (parsing) {
      session.plan().add(NodeReply.swallow(link.connection));
    }
    session.plan().add(NodeReply.swallow(link.connection));
    session
        .plan()
        .add(
            new CollectReply(
                link.connection,
                row -> link.connection.answeredSettings(new String(row[0], StandardCharsets.UTF_8)),
                () -> {}));
  }

  /** What a node says now is what the session has set. */
  private void changed(Link link) {
    ReportedSettings now = link.reported();
    origins.remove(link);
    origins.add(link);
    if (!session.transaction().isOpen()) {
      session.settings().adopt(now);
    } else {
      tellOthers(link, now);
    }
    link.seen = now;
  }

  /**
   * The transaction's other nodes are told when they are used next, those to come when they join.
   */
  private void tellOthers(Link link, ReportedSettings now) {
    String sql = now.changesSince(link.seen);
    if (!sql.isEmpty()) {
      session.transaction().setting(now.namesChangedSince(link.seen), NodeStatement.of(sql));
      link.told = session.transaction().history().size();
    }
  }

  /** The transaction has ended on all nodes, which have said what is set there now. */
  void transactionEnded(boolean committed, List<Link> participants) {
    if (committed && (!origins.isEmpty() || session.transaction().changesSettings())) {
      List<Link> inOrder = new ArrayList<>(participants);
      inOrder.removeAll(origins);
      inOrder.addAll(origins);
      keep(inOrder);
    }
    origins.clear();
    expected = true;
  }

  /**
   * What any node has kept is set from now on, and what one has kept later goes before: where
   * others were told of it, they were told for the time of the transaction.
   */
  private void keep(List<Link> inOrder) {
    ReportedSettings before = session.settings().current();
    ReportedSettings kept = before;
    for (Link link : inOrder) {
      if (link.isUsable() && !link.reported().equals(before)) {
        kept = kept.withChanges(before, link.reported());
      }
    }
    session.settings().adopt(kept);
  }

  /**
   * All nodes have answered the end of a group.
   *
   * @throws AbelianException when nodes have come to different settings
   */
  void groupAnswered(boolean failed) {
    if (expected || failed) {
      return;
    }
    List<Link> changed = null;
    for (Link link : session.links().held()) {
      if (link.isUsable() && link.seen != null && hasChanged(link)) {
        changed = changed == null ? new ArrayList<>() : changed;
        changed.add(link);
      }
    }
    if (changed != null) {
      requireAgreement(changed);
      changed(changed.get(0));
    }
  }

  /** False when the node has been told what one of the transaction's nodes has set before. */
  private boolean hasChanged(Link link) {
    ReportedSettings now = link.reported();
    return !now.equals(link.seen)
        && (origins.isEmpty() || !now.equals(origins.get(origins.size() - 1).seen));
  }

  /** What nodes say after the group, whether its work was kept or not, is known from now on. */
  void groupEnded() {
    for (Link link : session.links().held()) {
      if (link.isUsable()) {
        link.seen = link.reported();
      }
    }
  }

  private static void requireAgreement(List<Link> changed) {
    long texts = changed.stream().map(Link::reported).distinct().count();
    if (texts > 1) {
      throw AbelianException.unsupported(
          "a function has set something on several nodes, to different values",
          "Use SET, or set_config() in a statement of its own.");
    }
  }
}
