package org.abelian.router.session;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.notification.Mailbox;
import org.abelian.router.notification.NotificationHub;
import org.abelian.router.notification.Subscriptions;
import org.abelian.router.pool.NodeAddress;

/**
 * What one session listens to, and when its client is told: between groups of messages, while no
 * transaction is open. A session that listens keeps the connections that it has used, so that its
 * own notifications can be told from those of others.
 */
public final class SessionNotifications {
  private final int session;
  private final NotificationHub hub;
  private final Mailbox mailbox;
  private final Subscriptions subscriptions;
  private final TransactionState transaction;
  private final BackendSession backends;

  /** Whose connections are to stay with the session. */
  private final Set<Backend> owned = new HashSet<>();

  /** Listens to nothing yet. */
  public SessionNotifications(
      int session,
      NotificationHub hub,
      Mailbox mailbox,
      TransactionState transaction,
      BackendSession backends) {
    this.session = session;
    this.hub = hub;
    this.mailbox = mailbox;
    this.transaction = transaction;
    this.backends = backends;
    subscriptions = new Subscriptions(hub, mailbox);
    backends.onBorrow(this::borrowed);
  }

  /** LISTEN to a channel. */
  public void listen(String channel) {
    subscriptions.listen(channel, transaction.history().size());
    noteInBlock();
  }

  /**
   * UNLISTEN.
   *
   * @param channel null for all
   */
  public void unlisten(String channel) {
    subscriptions.unlisten(channel, transaction.history().size(), !transaction.isBlock());
    noteInBlock();
  }

  private void noteInBlock() {
    if (transaction.isBlock()) {
      transaction.listens();
    }
  }

  /** True when it listens to something. */
  public boolean isActive() {
    return subscriptions.isActive();
  }

  /** Savepoints were released. */
  public void released() {
    subscriptions.released(transaction.history().size());
  }

  /** The transaction is back at a savepoint. */
  public void rolledBack() {
    subscriptions.rolledBack(transaction.history().size());
  }

  /** A transaction is about to commit on its nodes. */
  public void commits() {
    if (subscriptions.awaitsChannels()
        && backends.begun().stream().anyMatch(backend -> backend.unheard)) {
      backends.held().forEach(this::own);
      owned.forEach(backend -> backend.pinned = true); // What it has notified is still to come.
      subscriptions.commits();
    }
  }

  /** A transaction has ended. */
  public void ended(boolean committed) {
    boolean before = subscriptions.isActive();
    subscriptions.ended(committed);
    if (!before && subscriptions.isActive()) {
      backends.held().forEach(this::own);
    }
  }

  /** Listens to nothing any more. */
  public void clear() {
    subscriptions.clear();
  }

  /**
   * A group of messages is answered and no transaction is open: the client is told what has been
   * committed by now, its own notifications too.
   */
  public void groupEnded(ClientOutput output) {
    if (!owned.isEmpty()) {
      owned.forEach(backend -> backend.pinned = backend.isUsable());
      owned.clear();
    }
    if (!subscriptions.isActive()) {
      return;
    }
    List<Backend> unheard = backends.held().stream().filter(backend -> backend.unheard).toList();
    if (!unheard.isEmpty()) {
      hub.catchUp(addresses(unheard));
      unheard.forEach(backend -> backend.unheard = false);
    }
    mailbox.take(output.queue());
  }

  private void borrowed(Backend backend) {
    if (subscriptions.isActive()) {
      own(backend);
    }
  }

  /** What others have notified over the connection must have come before it is the session's. */
  private void own(Backend backend) {
    if (backend.isUsable()) {
      hub.catchUp(addresses(List.of(backend)));
      hub.own(backend.connection, session);
      owned.add(backend);
    }
  }

  private static List<NodeAddress> addresses(List<Backend> some) {
    return some.stream()
        .filter(Backend::isUsable)
        .map(backend -> backend.connection.address())
        .toList();
  }
}
