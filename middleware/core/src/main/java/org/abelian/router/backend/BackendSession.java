package org.abelian.router.backend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.JointAnswers;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePools;
import org.abelian.router.pool.NodeRefusedException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;

/**
 * A session's connections to the nodes: which it holds, and which of them the current group of
 * messages has used. One thread runs the session; {@link #cancel} and {@link #abort} may come from
 * others.
 */
public final class BackendSession {
  private static final byte[] UNNAMED = {};

  private final Object session;
  private final NodePools pools;
  private final ConnectionSetup setup;
  private final NodeIdentity identity;
  private final SessionSettings settings;
  private final Reading reading;
  private Backend[] byNode = new Backend[8];
  private final List<Backend> held = new ArrayList<>();
  private final List<Backend> touched = new ArrayList<>();
  private Backend lastUsed;
  private Consumer<Backend> onBorrow = backend -> {};

  /** What the first node has told last of the session's temporary objects. */
  private String temporaryObjects;

  /** Beside those by node, while they are busy. */
  private Backend[] beside = new Backend[8];

  /**
   * Holds nothing yet.
   *
   * @param session who borrows the connections
   * @param setup brings connections to what the session has set
   * @param identity as whom the nodes are connected to
   * @param settings what connections must have set
   * @param reading how the session reads texts
   */
  public BackendSession(
      Object session,
      NodePools pools,
      ConnectionSetup setup,
      NodeIdentity identity,
      SessionSettings settings,
      Reading reading) {
    this.session = session;
    this.pools = pools;
    this.setup = setup;
    this.identity = identity;
    this.settings = settings;
    this.reading = reading;
  }

  /** Who is told of each connection that was just borrowed. */
  public void onBorrow(Consumer<Backend> told) {
    onBorrow = told;
  }

  /** What the session has set. */
  public SessionSettings settings() {
    return settings;
  }

  /** The value of a setting, as a transaction that is open has it; null for its default. */
  public String setting(String name) {
    Backend begun = firstBegun();
    return (begun == null ? settings.current() : begun.reported()).value(name);
  }

  /** True when a setting has one of these values. */
  public boolean says(String name, String... values) {
    String value = setting(name);
    return value != null && Arrays.stream(values).anyMatch(value::equalsIgnoreCase);
  }

  /** The backend to a node of the catalogue. */
  public Backend backend(Catalog catalog, int nodeId) {
    if (nodeId < byNode.length && byNode[nodeId] != null) {
      return byNode[nodeId];
    }
    Node node =
        catalog
            .node(nodeId)
            .orElseThrow(
                () ->
                    AbelianException.internal(
                        "route to a node that is not there: " + nodeId, null));
    return backend(node);
  }

  /** The backend to a node. */
  public synchronized Backend backend(Node node) {
    if (node.id() >= byNode.length) {
      byNode = Arrays.copyOf(byNode, Math.max(node.id() + 1, byNode.length * 2));
    }
    Backend backend = byNode[node.id()];
    if (backend == null) {
      backend =
          new Backend(node.id(), pools.pool(new NodeAddress(node.host(), node.port()), identity));
      byNode[node.id()] = backend;
    }
    return backend;
  }

  /**
   * Another backend to a node, connected, for what cannot wait until the session's own has done
   * what it is busy with. It takes no part in transactions, and is given back with the others.
   */
  public Backend beside(Node node) {
    Backend used = lastUsed;
    Backend own = backend(node);
    if (node.id() >= beside.length) {
      beside = Arrays.copyOf(beside, byNode.length);
    }
    if (beside[node.id()] == null) {
      beside[node.id()] = new Backend(node.id(), own.pool);
    }
    connect(beside[node.id()]);
    lastUsed = used;
    return beside[node.id()];
  }

  /** The connections that the session holds now. */
  public List<Backend> held() {
    return held;
  }

  /** The backends that got messages of the current group. */
  public List<Backend> touched() {
    return touched;
  }

  /** Those of them where something that the group has done is neither committed nor rolled back. */
  public List<Backend> unfinished() {
    List<Backend> result = new ArrayList<>(touched.size());
    for (Backend backend : touched) {
      if (!backend.ended) {
        result.add(backend);
      }
    }
    return result;
  }

  /** True when there is one among them that is another one. */
  public boolean isUnfinishedBeside(Backend backend) {
    for (int i = 0; i < touched.size(); i++) { // Without an iterator: every statement is here.
      if (touched.get(i) != backend && !touched.get(i).ended) {
        return true;
      }
    }
    return false;
  }

  /** What the group has done so far is committed or rolled back. */
  public void finished() {
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).ended = true;
    }
  }

  /** The backends on which the session's transaction is open, in the order in which they joined. */
  public List<Backend> begun() {
    List<Backend> result = new ArrayList<>(held.size());
    for (Backend backend : held) {
      if (backend.begun) {
        result.add(backend);
      }
    }
    return result;
  }

  /** The first backend on which the session's transaction is open; null when there is none. */
  public Backend firstBegun() {
    for (Backend backend : held) {
      if (backend.begun) {
        return backend;
      }
    }
    return null;
  }

  /** How many nodes the transaction is open on. */
  public int begunCount() {
    int count = 0;
    for (Backend backend : held) {
      if (backend.begun) {
        count++;
      }
    }
    return count;
  }

  /** The backend that was used last; null when there is none. */
  public Backend lastUsed() {
    return lastUsed;
  }

  /**
   * Makes sure that the backend has a connection with the session's settings.
   *
   * @throws AbelianException when there is none to be had, or a setting cannot be made
   */
  public void connect(Backend backend) {
    if (backend.connection == null) {
      borrow(backend);
    }
    setup.provideKey(backend);
    if (!backend.begun && !backend.touched) {
      if (!setup.isDone(backend.connection)) {
        setUp(backend);
      }
      backend.seen = settings.current();
    }
    forgetReadOtherwise(backend);
    lastUsed = backend;
  }

  private void setUp(Backend backend) {
    boolean replaceable = !backend.isOwn();
    try {
      setup.forgetOutdatedStatements(backend.connection);
      bringSettings(backend);
    } catch (NodeLostException lost) {
      drop(backend);
      if (!replaceable) {
        throw cannotSetUp(backend, lost);
      }
      replace(backend);
    }
  }

  /** The connection broke while it was idle, and nothing of the client's was sent there. */
  private void replace(Backend backend) {
    borrow(backend);
    setup.provideKey(backend);
    try {
      setup.forgetOutdatedStatements(backend.connection);
      bringSettings(backend);
    } catch (NodeLostException again) {
      drop(backend);
      throw cannotSetUp(backend, again);
    }
  }

  /**
   * The backend for statements that any node can answer: one that the session has to do with
   * anyway, or else the first node that can be reached; that of the temporary objects, if there are
   * some, which it may name. Connected, unless the session's transaction has lost it.
   *
   * @throws AbelianException 08001 when no node can be reached
   */
  public Backend home(Catalog catalog) {
    if (reading.temporaryObjects() != null) {
      Backend first = backend(catalog.first());
      if (!first.begun) {
        connect(first);
      }
      return first;
    }
    Backend begun = firstBegun();
    if (begun != null) {
      return begun;
    }
    Backend preferred = lastUsed != null ? lastUsed : backend(catalog.first());
    try {
      connect(preferred);
      return preferred;
    } catch (AbelianException unreachable) {
      if (unreachable.state() != SqlState.UNABLE_TO_CONNECT) {
        throw unreachable;
      }
      return otherThan(preferred, catalog, unreachable);
    }
  }

  /**
   * True when the session has temporary objects, as far as it knows; they are on the first node.
   */
  public boolean hasTemporaryObjects() {
    return reading.temporaryObjects() != null;
  }

  /** True when the first node has told of other temporary objects than when this was asked last. */
  public boolean hasOtherTemporaryObjects(Catalog catalog) {
    Backend first = backend(catalog.first());
    String told = first.connection == null ? null : first.connection.temporaryObjects();
    boolean others = !Objects.equals(told, temporaryObjects);
    temporaryObjects = told;
    return others && (told != null || reading.temporaryObjects() != null);
  }

  private Backend otherThan(Backend preferred, Catalog catalog, AbelianException unreachable) {
    for (Node node : catalog.nodes()) {
      Backend backend = backend(node);
      if (backend == preferred) {
        continue;
      }
      try {
        connect(backend);
        return backend;
      } catch (AbelianException alsoUnreachable) {
        unreachable.addSuppressed(alsoUnreachable);
      }
    }
    throw unreachable;
  }

  /** The backend of that connection; null when the session holds none. */
  public Backend of(NodeConnection connection) {
    for (Backend backend : held) {
      if (backend.connection == connection) {
        return backend;
      }
    }
    return null;
  }

  /**
   * Makes sure that the node has the statement prepared, and gives its name there.
   *
   * @param named false for a statement that comes rarely: the node's unnamed one will do
   * @param replies gets what the node answers to that
   */
  public byte[] prepare(Backend backend, NodeStatement given, boolean named, ReplyQueue replies) {
    NodeConnection connection = backend.connection;
    forgetHidden(backend);
    forgetReadOtherwise(backend);
    NodeStatement statement = replies.numbers().there(connection.address(), given);
    byte[] name = connection.prepared().name(statement);
    if (name != null) {
      return name;
    }
    if (!named) {
      if (connection.parseUnnamed(statement)) {
        replies.add(NodeReply.swallow(connection));
      }
      return UNNAMED;
    }
    connection.parse(statement);
    replies.add(NodeReply.swallow(connection));
    while (connection.closeSurplus()) {
      replies.add(NodeReply.swallow(connection));
    }
    return connection.prepared().name(statement);
  }

  /**
   * The same for one that the node is to describe without binding it.
   *
   * @param fetches true for FETCH and MOVE: PostgreSQL crashes when it describes one that it has
   *     parsed before, and whose cursor is gone, so it parses it anew
   */
  public byte[] prepareToDescribe(
      Backend backend, NodeStatement given, boolean fetches, ReplyQueue replies) {
    if (!fetches) {
      return prepare(backend, given, true, replies);
    }
    NodeConnection connection = backend.connection;
    connection.prepared().dropUnnamed();
    connection.parseUnnamed(replies.numbers().there(connection.address(), given));
    replies.add(NodeReply.swallow(connection));
    return UNNAMED;
  }

  /**
   * A node does not notice that a temporary object has come, or come back, before another one which
   * a prepared statement uses.
   */
  private void forgetHidden(Backend backend) {
    Object now = reading.temporaryObjects();
    if (backend.temporaryObjects != now && backend.isOwn()) {
      forgetStatements(backend);
      backend.temporaryObjects = now;
    }
  }

  /** What was prepared while literals had other values, or names stood for other things. */
  private void forgetReadOtherwise(Backend backend) {
    if (backend.connection.prepared().readsOtherwise(reading.preparedBy())) {
      backend.connection.schemaEpoch(ConnectionSetup.OUTDATED);
    }
  }

  /**
   * The session itself has changed the schema: statements that nodes have prepared may return other
   * columns now, which nodes refuse.
   */
  public void forgetStatements() {
    held.forEach(BackendSession::forgetStatements);
  }

  /** The node forgets them when nothing is under way. */
  private static void forgetStatements(Backend backend) {
    backend.connection.prepared().forgetAll();
    backend.connection.schemaEpoch(ConnectionSetup.OUTDATED);
  }

  private static AbelianException cannotSetUp(Backend backend, NodeLostException cause) {
    return new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "cannot set up the connection to " + backend + ": " + cause.getMessage(),
        null);
  }

  private void borrow(Backend backend) {
    try {
      hold(backend, backend.pool.borrow(session, backend.last));
      onBorrow.accept(backend);
    } catch (NodeRefusedException e) {
      throw new ClientError(
          e.error()
              .with(ErrorFields.SEVERITY, "ERROR")
              .with(ErrorFields.SEVERITY_UNTRANSLATED, "ERROR"));
    } catch (IOException e) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "cannot connect to " + backend + ": " + e.getMessage(),
          null,
          "Nothing was done there. Check that the node is running and accepts the role's password.",
          null);
    }
  }

  private synchronized void hold(Backend backend, NodeConnection connection) {
    backend.connection = connection;
    backend.last = connection;
    backend.seen = null;
    backend.temporaryObjects = null;
    held.add(backend);
  }

  private void bringSettings(Backend backend) throws NodeLostException {
    // Ends, since each connection that is not fit leaves the pool.
    while (!setup.hasSettings(backend.connection)
        && !setup.bringSettings(backend, firstBegun() != null)) {
      if (backend.isOwn()) {
        throw ConnectionSetup.refused(backend, "its connection cannot be replaced");
      }
      drop(backend);
      borrow(backend);
      setup.provideKey(backend);
    }
  }

  /** Messages of the current group go there. */
  public void touch(Backend backend) {
    backend.ended = false;
    if (!backend.touched) {
      backend.touched = true;
      touched.add(backend);
    }
  }

  /** True when no other backend got messages of the current group. */
  public boolean touchesOnly(Backend backend) {
    return touched.isEmpty() || touched.size() == 1 && touched.get(0) == backend;
  }

  /** How many bytes of the current group wait to be sent. */
  public int unsent() {
    int bytes = 0;
    for (int i = 0; i < touched.size(); i++) {
      NodeConnection connection = touched.get(i).connection;
      bytes += connection == null ? 0 : connection.unsent();
    }
    return bytes;
  }

  /** The group's Sync went to all of them. */
  public void untouch() {
    for (int i = 0; i < touched.size(); i++) { // Without an iterator: every statement is here.
      Backend backend = touched.get(i);
      backend.touched = false;
      backend.synced = false;
      backend.skips = false;
    }
    touched.clear();
  }

  /** The group's Sync went there. */
  public void untouch(Backend backend) {
    backend.touched = false;
    backend.synced = false;
    backend.skips = false;
    touched.remove(backend);
  }

  /**
   * Sends what was written to the nodes. A connection that breaks is found when its answer is read.
   */
  public void flush() {
    for (int i = 0; i < held.size(); i++) {
      Backend backend = held.get(i);
      if (backend.connection.unsent() > 0) {
        try {
          backend.connection.flush();
        } catch (IOException e) {
          // It is lost now, and the answer that is waited for will say so.
          continue;
        }
      }
    }
  }

  /**
   * Ends the group there, if it has not ended yet. The node's ReadyForQuery is due at the group's
   * end, or else its reader untouches the backend.
   */
  public void sync(Backend backend) {
    if (!backend.synced) {
      backend.connection.writer().empty(FrontendType.SYNC);
      backend.synced = true;
    }
  }

  /** Nodes shall answer what they have got so far in this group. */
  public void requestAnswers() {
    for (int i = 0; i < touched.size(); i++) {
      Backend backend = touched.get(i);
      if (backend.connection != null && !backend.synced) {
        backend.connection.writer().empty(FrontendType.FLUSH);
      }
    }
    flush();
  }

  /**
   * No transaction is open: connections go back, but each session keeps its own while nobody else
   * needs it.
   */
  public synchronized void release() {
    for (int i = held.size() - 1; i >= 0; i--) {
      release(held.get(i));
    }
  }

  /** The same for one that has no part in a transaction, and has answered everything. */
  public synchronized void release(Backend backend) {
    backend.transactionEnds();
    if (backend.touched) {
      untouch(backend);
    }
    NodeConnection connection = backend.connection;
    if (connection.isLost() || connection.transactionStatus() != 'I') {
      drop(backend);
    } else if (!backend.isOwn()) {
      backend.connection = null;
      backend.unheard = false;
      held.remove(backend);
      backend.pool.giveBack(connection);
    }
  }

  /** Closes a backend's connection. */
  public synchronized void drop(Backend backend) {
    NodeConnection connection = backend.connection;
    backend.connection = null;
    backend.last = null;
    boolean wrote = backend.wrote; // What comes of it is still to be told.
    backend.transactionEnds();
    backend.wrote = wrote;
    backend.pinned = false;
    untouch(backend);
    held.remove(backend);
    if (connection != null) {
      backend.pool.drop(connection);
    }
  }

  /** The session ends: what is in doubt is closed, the rest may be had by anyone. */
  public synchronized void close() {
    for (Backend backend : new ArrayList<>(held)) {
      drop(backend);
    }
    releaseLast(byNode);
    releaseLast(beside);
  }

  private void releaseLast(Backend[] some) {
    for (Backend backend : some) {
      if (backend != null && backend.last != null) {
        backend.pool.release(backend.last, session);
        backend.last = null;
      }
    }
  }

  /** True while the session's thread waits for one of its nodes. From any thread. */
  public synchronized boolean isWaiting() {
    return held.stream().anyMatch(backend -> backend.connection.isWaiting());
  }

  /** Closes the sockets under a session that another thread is running. */
  public synchronized void abort() {
    for (Backend backend : held) {
      backend.connection.close();
    }
  }

  /** Asks these nodes to cancel what they do for the session. */
  public void cancel(List<Backend> some) {
    connections(some).forEach(this::cancel);
  }

  private void cancel(NodeConnection connection) {
    connection.cancel(session);
  }

  /**
   * The answers of these nodes to one statement, which they run together.
   *
   * @param tentative whether an error may turn out to be of no interest
   */
  public JointAnswers joint(List<Backend> some, boolean tentative) {
    return new JointAnswers(() -> connections(some), this::cancel, tentative);
  }

  private static List<NodeConnection> connections(List<Backend> some) {
    return some.stream().map(backend -> backend.connection).filter(Objects::nonNull).toList();
  }

  /** Asks the nodes to cancel what they do for the session; from any thread. */
  public void cancel() {
    List<NodeConnection> running = new ArrayList<>();
    synchronized (this) {
      for (Backend backend : held) {
        running.add(backend.connection);
      }
    }
    running.forEach(connection -> connection.cancel(session));
  }
}
