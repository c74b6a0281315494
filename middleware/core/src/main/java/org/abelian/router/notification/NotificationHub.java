package org.abelian.router.notification;

import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ErrorFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the sessions of a router listen to, on all nodes. A notification is sent on one node, so the
 * connection that listens there is the only one of this router that gets it, and each session gets
 * it once. When such a connection is lost, notifications may be missed: then the sessions that
 * listen are ended, as those of a PostgreSQL that crashes are. Safe for several threads.
 */
public final class NotificationHub implements NodeListener.Host, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationHub.class);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SIGN_OF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Processes that are no session of this router get numbers that no session has. */
  private static final int FOREIGN = 1 << 30;

  private static final int PROCESS_BITS = 22;
  private static final int NODES_MASK = 0xff;

  private record Process(NodeAddress node, int id) {}

  private record Owner(NodeConnection connection, int session) {}

  private final Function<NodeAddress, NodePool> pools;
  private final Supplier<List<Node>> nodes;
  private final String wakeChannel =
      "abelian_" + new BigInteger(128, new SecureRandom()).toString(16);
  private final Map<String, Set<Mailbox>> subscribers = new ConcurrentHashMap<>();
  private final Map<Process, Owner> owners = new ConcurrentHashMap<>();

  // ---- guarded by this

  private final Map<String, Integer> references = new HashMap<>();
  private final Map<NodeAddress, NodeListener> listeners = new HashMap<>();
  private long generation;
  private long losses;
  private long lookedNanos = System.nanoTime();
  private boolean closed;

  /**
   * @param pools the router's own connections to a node
   * @param nodes those of the cluster now
   */
  public NotificationHub(Function<NodeAddress, NodePool> pools, Supplier<List<Node>> nodes) {
    this.pools = pools;
    this.nodes = nodes;
  }

  // ---- for sessions

  /**
   * Has all nodes listen to a channel, until as many releases.
   *
   * @return how many times notifications may have been missed so far
   * @throws AbelianException 08001 when a node cannot
   */
  public long reserve(String channel) {
    List<Node> current = nodes.get();
    List<NodeListener> all;
    long wanted;
    long missed;
    synchronized (this) {
      if (references.merge(channel, 1, Integer::sum) == 1) {
        generation++;
      }
      wanted = generation;
      missed = losses;
      all = listenOn(current);
    }
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (NodeListener listener : all) {
      try {
        listener.require(wanted, deadline);
      } catch (IOException e) {
        release(channel);
        throw unreachable(listener.node(), e);
      } catch (RuntimeException e) {
        release(channel);
        throw e;
      }
    }
    return missed;
  }

  private static AbelianException unreachable(Node node, IOException cause) {
    return new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "cannot listen on node " + node.id() + ": " + cause.getMessage(),
        null,
        "LISTEN needs every node of the cluster. Check that the node runs, and try again.",
        null);
  }

  /** Those of these nodes, started where there was none. */
  private List<NodeListener> listenOn(List<Node> some) {
    List<NodeListener> result = new ArrayList<>();
    for (Node node : some) {
      NodeAddress address = new NodeAddress(node.host(), node.port());
      NodeListener listener = listeners.get(address);
      if (listener == null && !closed) {
        listener = new NodeListener(node, pools.apply(address), wakeChannel, this);
        listeners.put(address, listener);
        listener.start();
      }
      if (listener != null) {
        result.add(listener);
      }
    }
    return result;
  }

  /** Ends a reservation. Nodes stop to listen when something else comes from them. */
  public synchronized void release(String channel) {
    if (references.merge(channel, -1, Integer::sum) == 0) {
      references.remove(channel);
      generation++;
    }
  }

  /**
   * From now on the mailbox gets what is notified on a channel that is reserved.
   *
   * @param missed what {@link #reserve} has said
   */
  public void subscribe(String channel, Mailbox mailbox, long missed) {
    subscribers.compute(
        channel,
        (name, known) -> {
          Set<Mailbox> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(mailbox);
          return all;
        });
    synchronized (this) {
      if (missed == losses) {
        return;
      }
    }
    mailbox.fail(missed("a node"));
  }

  /** The mailbox gets no more of it. */
  public void unsubscribe(String channel, Mailbox mailbox) {
    subscribers.computeIfPresent(
        channel,
        (name, all) -> {
          all.remove(mailbox);
          return all.isEmpty() ? null : all;
        });
  }

  /** Waits, but not for ever, until all has come that was committed on these nodes before. */
  public void catchUp(Collection<NodeAddress> some) {
    List<NodeListener> asked;
    synchronized (this) {
      asked = some.stream().map(listeners::get).filter(Objects::nonNull).toList();
    }
    catchUpWith(asked);
  }

  /** The same of all nodes. */
  public void catchUp() {
    List<NodeListener> asked;
    synchronized (this) {
      asked = List.copyOf(listeners.values());
    }
    catchUpWith(asked);
  }

  private static void catchUpWith(List<NodeListener> asked) {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (NodeListener listener : asked) {
      try {
        listener.catchUp(deadline);
      } catch (IOException | AbelianException e) {
        LOG.debug("notifications of node {} may come later: {}", listener.node(), e.getMessage());
      }
    }
  }

  /** From now on, and for as long as the connection is open, it is that session's alone. */
  public void own(NodeConnection connection, int session) {
    owners.values().removeIf(owner -> owner.connection().isLost());
    owners.put(
        new Process(connection.address(), connection.processId()), new Owner(connection, session));
  }

  // ---- for listeners

  @Override
  public synchronized NodeListener.Wanted wanted() {
    return new NodeListener.Wanted(generation, Set.copyOf(references.keySet()));
  }

  @Override
  public void received(Node node, String channel, byte[] frame) {
    Set<Mailbox> mailboxes = subscribers.get(channel);
    if (mailboxes == null) {
      return;
    }
    int process = BigEndian.int4(frame, 5);
    Owner owner = owners.get(new Process(new NodeAddress(node.host(), node.port()), process));
    BigEndian.putInt4(
        frame,
        5,
        owner != null && !owner.connection().isLost() ? owner.session() : foreign(node, process));
    mailboxes.forEach(mailbox -> mailbox.offer(frame));
  }

  private static int foreign(Node node, int process) {
    return FOREIGN | (node.id() & NODES_MASK) << PROCESS_BITS | process & (1 << PROCESS_BITS) - 1;
  }

  @Override
  public void ended(NodeListener listener, String reason) {
    Node node = listener.node();
    synchronized (this) {
      listeners.remove(new NodeAddress(node.host(), node.port()), listener);
      if (listener.isClosed()) {
        return;
      }
      losses++;
    }
    LOG.warn("nobody listens on node {} any more: {}", node.id(), reason);
    failAll(missed("node " + node.id()));
  }

  private void failAll(ErrorFields reason) {
    subscribers.values().forEach(all -> all.forEach(mailbox -> mailbox.fail(reason)));
  }

  private static ErrorFields missed(String where) {
    return ErrorFields.of(
            "FATAL",
            SqlState.ADMIN_SHUTDOWN.code(),
            "terminating connection because notifications of " + where + " may have been missed")
        .with(
            ErrorFields.HINT,
            "The router has lost its connection there. Connect again, LISTEN, and look at what has"
                + " changed meanwhile.");
  }

  // ---- beside the sessions

  /** Nodes that are new are listened to, those that are not needed no more; now and then. */
  public void look() {
    List<NodeListener> asked = List.of();
    List<Node> current = isNeeded() ? nodes.get() : List.of();
    synchronized (this) {
      List<NodeListener> needed = references.isEmpty() ? List.of() : listenOn(current);
      listeners
          .values()
          .removeIf(
              listener -> {
                boolean surplus = !needed.contains(listener);
                if (surplus) {
                  listener.close();
                }
                return surplus;
              });
      long now = System.nanoTime();
      if (now - lookedNanos >= SIGN_OF_LIFE_NANOS) {
        lookedNanos = now;
        asked = needed;
      }
    }
    asked.forEach(NotificationHub::requireSign);
  }

  private synchronized boolean isNeeded() {
    return !references.isEmpty();
  }

  /** A connection may be broken without anybody having said so. */
  private static void requireSign(NodeListener listener) {
    try {
      listener.catchUp(System.nanoTime() + PATIENCE_NANOS);
    } catch (IOException | AbelianException e) {
      listener.breakOff();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    listeners.values().forEach(NodeListener::close);
  }
}
