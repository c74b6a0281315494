package org.abelian.router.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.backend.ReportedSettings;
import org.abelian.router.backend.SettingsSnapshot;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Encodings;

/**
 * Sees to it that what one node says was set holds on the session's other nodes: for the rest of
 * the transaction when one is open, else for the session. Nodes report at the end of each group of
 * messages; within a group they are asked, after what is known to set something.
 */
public final class SettingsWatch {
  /** A command, which nodes answer whatever placement the router knows. */
  private static final NodeStatement ASK = NodeStatement.of("SHOW abelian.settings");

  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;

  /** The group has commands after which nodes rightly report something else. */
  private boolean expected;

  /** The nodes that have set something in the transaction, or in the group, the latest last. */
  private final List<Backend> origins = new ArrayList<>();

  /** Nothing has been set yet. */
  public SettingsWatch(TransactionState state, BackendSession backends, ReplyQueue replies) {
    this.state = state;
    this.backends = backends;
    this.replies = replies;
  }

  /** A group of messages begins. */
  void beginGroup() {
    expected = false;
    if (!state.isOpen()) {
      origins.clear();
    }
  }

  /** The client's own command changes settings, on all nodes of the transaction alike. */
  void expect() {
    expected = true;
  }

  /**
   * Asks a node, once it has answered what came before. No other statement may be planned before
   * the answer.
   */
  void ask(Backend backend) {
    refresh(backend);
    replies.add(RouterWork.then(() -> changed(backend)));
  }

  /** The transaction's COMMIT is on its way to its only node: what is set then is to be known. */
  void askBeforeEnd(Backend backend) {
    if (!origins.isEmpty() || state.changesSettings()) {
      refresh(backend);
    }
  }

  private void refresh(Backend backend) {
    boolean parsing = NodeCall.sendAside(backend.connection, ASK);
    if (parsing) {
      replies.add(NodeReply.swallow(backend.connection));
    }
    replies.add(NodeReply.swallow(backend.connection));
    replies.add(
        new CollectReply(
            backend.connection,
            row ->
                backend.connection.answeredSettings(new String(row[0], StandardCharsets.UTF_8))));
    replies.add(NodeReply.swallow(backend.connection));
  }

  /**
   * What a node says now is what the session has set.
   *
   * @throws AbelianException 0A000 for an encoding that the router cannot read; the node has it
   *     until the transaction ends, or until it is brought to what the session had set before
   */
  private void changed(Backend backend) {
    ReportedSettings now = backend.reported();
    String encoding = now.value("client_encoding");
    if (encoding != null && !Encodings.isUtf8(encoding)) {
      backend.connection.settingsMark(SettingsSnapshot.UNKNOWN);
      Encodings.requireUtf8(encoding);
    }
    origins.remove(backend);
    origins.add(backend);
    if (!state.isOpen()) {
      backends.settings().adopt(now);
    } else {
      tellOthers(backend, now);
    }
    backend.seen = now;
  }

  /**
   * The transaction's other nodes are told when they are used next, those to come when they join.
   */
  private void tellOthers(Backend backend, ReportedSettings now) {
    String sql = now.changesSince(backend.seen);
    if (!sql.isEmpty()) {
      state.setting(now.namesChangedSince(backend.seen), NodeStatement.of(sql));
      backend.told = state.history().size();
    }
  }

  /** The transaction has ended on all nodes, which have said what is set there now. */
  void transactionEnded(boolean committed, List<Backend> participants) {
    if (committed && (!origins.isEmpty() || state.changesSettings())) {
      List<Backend> inOrder = new ArrayList<>(participants);
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
  private void keep(List<Backend> inOrder) {
    ReportedSettings before = backends.settings().current();
    ReportedSettings kept = before;
    for (Backend backend : inOrder) {
      if (backend.isUsable() && !backend.reported().equals(before)) {
        kept = kept.withChanges(before, backend.reported());
      }
    }
    backends.settings().adopt(kept);
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
    List<Backend> changed = null;
    List<Backend> held = backends.held();
    for (int i = 0; i < held.size(); i++) { // Without an iterator: every statement is here.
      Backend backend = held.get(i);
      if (backend.isUsable() && backend.seen != null && hasChanged(backend)) {
        changed = changed == null ? new ArrayList<>() : changed;
        changed.add(backend);
      }
    }
    if (changed != null) {
      requireAgreement(changed);
      changed(changed.get(0));
    }
  }

  /**
   * False when the node has been told what one of the transaction's nodes has set before, or has
   * only got to know a name.
   */
  private boolean hasChanged(Backend backend) {
    ReportedSettings now = backend.reported();
    return !now.agreesWith(backend.seen)
        && (origins.isEmpty() || !now.equals(origins.get(origins.size() - 1).seen));
  }

  /** What nodes say after the group, whether its work was kept or not, is known from now on. */
  void groupEnded() {
    List<Backend> held = backends.held();
    for (int i = 0; i < held.size(); i++) {
      if (held.get(i).isUsable()) {
        held.get(i).seen = held.get(i).reported();
      }
    }
  }

  private static void requireAgreement(List<Backend> changed) {
    long texts = changed.stream().map(Backend::reported).distinct().count();
    if (texts > 1) {
      throw AbelianException.unsupported(
          "a function has set something on several nodes, to different values",
          "Use SET, or set_config() in a statement of its own.");
    }
  }
}
