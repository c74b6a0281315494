package org.abelian.router.session;

import java.io.IOException;
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
                row -> link.connection.settings(new String(row[0], StandardCharsets.UTF_8))));
    session.plan().add(Action.then(() -> changed(link)));
    session.groups().settleBeforeNext();
  }

  /** What a node says now is what the session has set. */
  private void changed(Link link) throws IOException {
    ReportedSettings now = link.reported();
    if (!session.transaction().isOpen()) {
      session.settings().adopt(now);
    } else if (!expected) {
      tellOthers(link, now);
    }
    origin = link;
    link.seen = now;
  }

  /**
   * The transaction's other nodes are told when they are used next, those to come when they join.
   */
  private void tellOthers(Link link, ReportedSettings now) {
    List<String> names = now.namesChangedSince(link.seen);
    if (names.isEmpty()) {
      return;
    }
    session.control().catchUp(link);
    String sql = now.changesSince(link.seen);
    if (!sql.isEmpty()) {
      session.transaction().setting(names, NodeStatement.of(sql));
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
   * All nodes have answered the end of a group, and the transaction, if one was open, has gone on
   * or ended.
   *
   * @throws AbelianException when nodes have come to different settings
   */
  void endGroup(boolean failed) throws IOException {
    List<Link> changed = new ArrayList<>();
    for (Link link : session.links().held()) {
      if (link.isUsable() && link.seen != null && !link.reported().equals(link.seen)) {
        changed.add(link);
      }
    }
    if (changed.isEmpty()) {
      return;
    }
    try {
      if (!expected && !failed) {
        requireAgreement(changed);
        changed(changed.get(0));
      }
    } finally {
      changed.forEach(link -> link.seen = link.reported());
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
