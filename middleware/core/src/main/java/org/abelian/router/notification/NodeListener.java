package org.abelian.router.notification;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.abelian.router.catalog.Node;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;

/**
 * The connection that listens on one node, and the thread that reads from it. The thread waits in a
 * read; whoever wants something of it notifies it, on a channel whose name nobody else knows. Such
 * a word takes its place in the node's queue: when it has come, all that was committed before it
 * has come as well.
 */
final class NodeListener {
  private static final int ANSWER_MILLIS = 5000;

  /** Connections that were idle may have been lost without notice when the node was restarted. */
  private static final int ATTEMPTS = 3;

  /**
   * What a node listens to.
   *
   * @param generation grows with every change
   */
  record Wanted(long generation, Set<String> channels) {}

  /** Who has it listen. */
  interface Host {
    /** What to listen to now. */
    Wanted wanted();

    /** A NotificationResponse of that node has come. */
    void received(Node node, String channel, byte[] frame);

    /** It listens no more. */
    void ended(NodeListener listener, String reason);
  }

  private final Node node;
  private final NodePool pool;
  private final String wakeChannel;
  private final Host host;
  private final AtomicLong tokens = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Long> expected = new HashSet<>();
  private Set<String> listened = Set.of();
  private long generation = Long.MIN_VALUE;
  private boolean listens;
  private String failure;
  private volatile boolean closed;
  private volatile NodeConnection connection;

  /**
   * @param pool the router's own connections to the node
   * @param wakeChannel a name that nobody can guess
   */
  NodeListener(Node node, NodePool pool, String wakeChannel, Host host) {
    this.node = node;
    this.pool = pool;
    this.wakeChannel = wakeChannel;
    this.host = host;
  }

  Node node() {
    return node;
  }

  void start() {
    Thread thread = new Thread(this::run, "abelian-listen-" + node.id());
    thread.setDaemon(true);
    thread.start();
  }

  /** Listens no more; from any thread. */
  void close() {
    closed = true;
    breakOff();
  }

  boolean isClosed() {
    return closed;
  }

  /** The connection is of no use: it ends as one that is lost. */
  void breakOff() {
    NodeConnection current = connection;
    if (current != null) {
      current.close();
    }
  }

  // ---- for those who want something

  /**
   * Waits until the node listens to what is wanted since that generation.
   *
   * @throws IOException when it cannot be had in time
   */
  void require(long wanted, long deadlineNanos) throws IOException {
    lock.lock();
    boolean asks;
    try {
      asks = generation < wanted && listens; // Else it looks before it reads anything.
    } finally {
      lock.unlock();
    }
    if (asks) {
      say(0);
    }
    lock.lock();
    try {
      while (generation < wanted) {
        await(deadlineNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all has come that was committed on the node before.
   *
   * @throws IOException when that cannot be said in time
   */
  void catchUp(long deadlineNanos) throws IOException {
    long token = tokens.incrementAndGet();
    lock.lock();
    try {
      expected.add(token);
    } finally {
      lock.unlock();
    }
    try {
      say(token);
      lock.lock();
      try {
        while (expected.contains(token)) {
          await(deadlineNanos);
        }
      } finally {
        lock.unlock();
      }
    } finally {
      lock.lock();
      try {
        expected.remove(token);
      } finally {
        lock.unlock();
      }
    }
  }

  private void await(long deadlineNanos) throws IOException {
    long left = deadlineNanos - System.nanoTime();
    if (failure != null || left <= 0) {
      throw new IOException(failure == null ? "it does not answer" : failure);
    }
    try {
      changed.awaitNanos(left);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Notifies the thread, over another connection. */
  private void say(long token) throws IOException {
    onLiveConnection(
        () -> {
          sayOnce(token);
          return token;
        });
  }

  /** Something that can be done again over another connection. */
  private interface Attempt<T> {
    T run() throws IOException;
  }

  private static <T> T onLiveConnection(Attempt<T> attempt) throws IOException {
    for (int count = 1; ; count++) {
      try {
        return attempt.run();
      } catch (NodeLostException lost) {
        if (count == ATTEMPTS) {
          throw lost;
        }
      }
    }
  }

  private void sayOnce(long token) throws IOException {
    NodeConnection other = pool.borrow(new Object(), null);
    try {
      other.timeout(ANSWER_MILLIS);
      QueryResult result =
          NodeCall.simple(
              other, "SELECT pg_catalog.pg_notify('" + wakeChannel + "', '" + token + "')");
      other.timeout(0);
      if (!result.succeeded()) {
        throw new IOException(result.errorFields().message());
      }
    } finally {
      pool.giveBackToAnyone(other);
    }
  }

  // ---- the thread

  private void run() {
    String reason = "closed";
    try {
      NodeConnection own = onLiveConnection(this::listening);
      connection = own;
      try {
        serve(own);
      } finally {
        pool.drop(own); // Nobody else shall get what it listens to.
      }
    } catch (IOException | RuntimeException e) {
      reason = String.valueOf(e.getMessage());
    } finally {
      end(reason);
    }
  }

  /** A connection that listens to the host's own channel. */
  private NodeConnection listening() throws IOException {
    NodeConnection own = pool.borrow(this, null);
    boolean listens = false;
    try {
      query(own, "SET client_encoding = 'UTF8'; LISTEN " + quoted(wakeChannel));
      listens = true;
      return own;
    } finally {
      if (!listens) {
        pool.drop(own);
      }
    }
  }

  private void serve(NodeConnection own) throws IOException {
    lock.lock();
    try {
      listens = true;
    } finally {
      lock.unlock();
    }
    while (!closed) {
      listenToWhatIsWanted(own);
      int length = own.awaitFrame();
      take(own, length);
    }
  }

  private void listenToWhatIsWanted(NodeConnection own) throws IOException {
    Wanted wanted = host.wanted();
    if (wanted.generation() == generation) {
      return;
    }
    StringBuilder sql = new StringBuilder();
    for (String channel : wanted.channels()) {
      if (!listened.contains(channel)) {
        sql.append("LISTEN ").append(quoted(channel)).append(';');
      }
    }
    for (String channel : listened) {
      if (!wanted.channels().contains(channel)) {
        sql.append("UNLISTEN ").append(quoted(channel)).append(';');
      }
    }
    if (!sql.isEmpty()) {
      query(own, sql.toString());
    }
    listened = wanted.channels();
    lock.lock();
    try {
      generation = wanted.generation();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static String quoted(String channel) {
    return '"' + channel.replace("\"", "\"\"") + '"';
  }

  private void query(NodeConnection own, String sql) throws IOException {
    own.timeout(ANSWER_MILLIS);
    NodeCall.sendSimple(own, sql);
    byte type = 0;
    while (type != BackendType.READY_FOR_QUERY) {
      int length = own.awaitFrame();
      type = take(own, length);
    }
    own.timeout(0);
  }

  /** Consumes a message and gives its type. */
  private byte take(NodeConnection own, int length) throws IOException {
    byte[] array = own.incoming().array();
    int at = own.incoming().start();
    byte type = array[at];
    if (type == BackendType.ERROR_RESPONSE) {
      throw new NodeLostException(
          own.address(), new IOException(ErrorFields.read(array, at).message()));
    }
    if (type == BackendType.NOTIFICATION_RESPONSE) {
      int channelEnd = CString.end(array, at + 9, at + length);
      String channel = CString.read(array, at + 9, channelEnd);
      if (channel.equals(wakeChannel)) {
        heard(CString.read(array, channelEnd + 1, at + length - 1));
      } else {
        host.received(node, channel, Arrays.copyOfRange(array, at, at + length));
      }
    }
    own.incoming().consume(length);
    return type;
  }

  private void heard(String token) {
    lock.lock();
    try {
      if (expected.remove(Long.parseLong(token))) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void end(String reason) {
    lock.lock();
    try {
      failure = reason;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    host.ended(this, reason);
  }
}
