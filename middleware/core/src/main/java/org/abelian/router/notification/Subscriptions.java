package org.abelian.router.notification;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * The channels of one session. LISTEN and UNLISTEN take effect when the transaction commits; what
 * they need of the nodes is there before. Not thread-safe.
 */
public final class Subscriptions {
  /** A session that wants to listen to more is refused. */
  private static final int MOST = 10_000;

  /**
   * What a transaction asks for.
   *
   * @param channel null for all of them
   * @param history how much had happened in the transaction before
   * @param missed what the hub has said to the reservation
   */
  private record Change(boolean listens, String channel, int history, long missed) {
    Change atMost(int most) {
      return history <= most ? this : new Change(listens, channel, most, missed);
    }
  }

  private final NotificationHub hub;
  private final Mailbox mailbox;
  private final Set<String> active = new HashSet<>();
  private final List<Change> pending = new ArrayList<>();

  /** So many bytes of the mailbox had come before what is pending; they are told in any case. */
  private int kept;

  /** Channels that are pending, and told of already, since the transaction is about to commit. */
  private final Set<String> early = new HashSet<>();

  /** Listens to nothing yet. */
  public Subscriptions(NotificationHub hub, Mailbox mailbox) {
    this.hub = hub;
    this.mailbox = mailbox;
  }

  /** True when the session listens to something. */
  public boolean isActive() {
    return !active.isEmpty();
  }

  /**
   * LISTEN.
   *
   * @param history how much has happened in the transaction before
   */
  public void listen(String channel, int history) {
    if (active.size() + pending.size() >= MOST) {
      throw new AbelianException(
          SqlState.CONFIGURATION_LIMIT_EXCEEDED,
          "a session cannot listen to more than " + MOST + " channels",
          "Use fewer channels, and tell cases apart by the payload.");
    }
    pending.add(new Change(true, channel, history, hub.reserve(channel)));
  }

  /**
   * UNLISTEN.
   *
   * @param channel null for all
   * @param history how much has happened in the transaction before
   * @param alone true outside of a transaction block: what was committed before is told yet, as a
   *     session that waits for its client's next message is told at once
   */
  public void unlisten(String channel, int history, boolean alone) {
    if (alone && !active.isEmpty()) {
      hub.catchUp();
      kept = mailbox.size();
    }
    if (!active.isEmpty() || !pending.isEmpty()) {
      pending.add(new Change(false, channel, history, 0));
    }
  }

  /** Savepoints were released, so that only so much has happened. */
  public void released(int history) {
    pending.replaceAll(change -> change.atMost(history));
  }

  /** The transaction is back where only so much had happened. */
  public void rolledBack(int history) {
    pending.removeIf(
        change -> {
          boolean gone = change.history() >= history;
          if (gone) {
            giveUp(change);
          }
          return gone;
        });
  }

  private void giveUp(Change change) {
    if (change.listens()) {
      hub.release(change.channel());
    }
  }

  /** True when a LISTEN waits for the end of the transaction. */
  public boolean awaitsChannels() {
    return pending.stream().anyMatch(Change::listens);
  }

  /** The transaction is about to commit, and may have notified: that is for its session, too. */
  public void commits() {
    hub.catchUp(); // What was committed before is not.
    kept = Math.max(kept, mailbox.size());
    for (Change change : pending) {
      if (change.listens() && !active.contains(change.channel()) && early.add(change.channel())) {
        hub.subscribe(change.channel(), mailbox, change.missed());
      }
    }
  }

  /** The transaction is over. */
  public void ended(boolean committed) {
    if (pending.isEmpty()) {
      return;
    }
    if (committed && early.isEmpty() && awaitsChannels()) {
      hub.catchUp(); // What was committed before is not for this session.
    }
    for (Change change : pending) {
      if (!committed) {
        giveUp(change);
      } else if (change.listens()) {
        begin(change);
      } else if (change.channel() == null) {
        endAll();
      } else {
        end(change.channel());
      }
    }
    boolean more = !early.isEmpty();
    early.forEach(channel -> hub.unsubscribe(channel, mailbox));
    early.clear();
    if (more || committed && pending.stream().anyMatch(change -> !change.listens())) {
      mailbox.retain(active, kept);
    }
    pending.clear();
    kept = 0;
  }

  private void begin(Change change) {
    if (!active.add(change.channel())) {
      hub.release(change.channel());
    } else if (!early.remove(change.channel())) {
      hub.subscribe(change.channel(), mailbox, change.missed());
    }
  }

  private void end(String channel) {
    if (active.remove(channel)) {
      hub.unsubscribe(channel, mailbox);
      hub.release(channel);
    }
  }

  private void endAll() {
    List.copyOf(active).forEach(this::end);
  }

  /** Listens to nothing any more, whatever becomes of the transaction. */
  public void clear() {
    ended(false);
    endAll();
    mailbox.retain(active, 0);
  }
}
