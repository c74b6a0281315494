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
  private static final NodeStatement ASK =
      NodeStatement.of("SELECT pg_catalog.current_setting('abelian.settings')");

  private final Session session;

  /** The group has commands after which nodes rightly report something else. */
  private boolean expected;

  /** The node that set something in the transaction; null when none has. */
  private Link origin;

  SettingsWatch(Session session) {
    this.session = session;
  }

  /** A group of messages begins. */
  void beginGroup() {
    expected = false;
  }

  /** The client's own command changes settings, on all nodes of the transaction alike. */
  void expect() {
    expected = true;
  }

  /** Asks a node, once it has answered what came before, and lets no other statement go before. */
  void ask(Link link) {
    refresh(link);
    session.plan().add(Action.then(() -> changed(link)));
    session.groups().settleBeforeNext();
  }

  /** The transaction's COMMIT is on its way to its only node: what is set then is to be known. */
  void askBeforeEnd(Link link) {
    if (origin != null || session.transaction().changesSettings()) {
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
                row -> link.connection.settings(new String(row[0], StandardCharsets.UTF_8)),
                () -> {}));
  }

  /** What a node says now is what the session has set. */
  private void changed(Link link) {
    ReportedSettings now = link.reported();
    if (!session.transaction().isOpen()) {
      session.settings().adopt(now);
    } else {
      origin = link;
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
    boolean changes = origin != null || session.transaction().changesSettings();
    if (committed && changes) {
      Link source = origin != null && origin.isUsable() ? origin : firstUsable(participants);
      if (source != null) {
        session.settings().adopt(source.reported());
      }
    }
    origin = null;
    expected = true;
  }

  private static Link firstUsable(List<Link> links) {
    return links.stream().filter(Link::isUsable).findFirst().orElse(null);
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
      if (link.isUsable() && link.seen != null && !link.reported().equals(link.seen)) {
        changed = changed == null ? new ArrayList<>() : changed;
        changed.add(link);
      }
    }
    if (changed != null) {
      requireAgreement(changed);
      changed(changed.get(0));
    }
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
