package org.abelian.router.backend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
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
  private final LongSupplier schemaEpoch;
  private final NodeIdentity identity;
  private final SessionSettings settings;
  private Backend[] byNode = new Backend[8];
  private final List<Backend> held = new ArrayList<>();
  private final List<Backend> touched = new ArrayList<>();
  private Backend lastUsed;

  /**
   * Holds nothing yet.
   *
   * @param session who borrows the connections
   * @param schemaEpoch grows when the schema changes, so that prepared statements may be outdated
   * @param identity as whom the nodes are connected to
   * @param settings what connections must have set
   */
  public BackendSession(
      Object session,
      NodePools pools,
      LongSupplier schemaEpoch,
      NodeIdentity identity,
      SessionSettings settings) {
    this.session = session;
    this.pools = pools;
    this.schemaEpoch = schemaEpoch;
    this.identity = identity;
    this.settings = settings;
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

  /** The connections that the session holds now. */
  public List<Backend> held() {
    return held;
  }

  /** The backends that got messages of the current group. */
  public List<Backend> touched() {
    return touched;
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
    if (!backend.begun && !backend.touched && !isSetUp(backend.connection)) {
      setUp(backend);
    }
    lastUsed = backend;
  }

  private boolean isSetUp(NodeConnection connection) {
    return connection.settingsMark() == settings.snapshot()
        && connection.schemaEpoch() == schemaEpoch.getAsLong();
  }

  private void setUp(Backend backend) {
    boolean replaceable = !backend.pinned;
    try {
      forgetOutdatedStatements(backend.connection);
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
    try {
      forgetOutdatedStatements(backend.connection);
      bringSettings(backend);
    } catch (NodeLostException again) {
      drop(backend);
      throw cannotSetUp(backend, again);
    }
  }

  /**
   * The backend for statements that any node can answer: one that the session has to do with
   * anyway, or else the first node that can be reached. Connected, unless the session's transaction
   * has lost it.
   *
   * @throws AbelianException 08001 when no node can be reached
   */
  public Backend home(Catalog catalog) {
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
  public byte[] prepare(
      Backend backend, NodeStatement statement, boolean named, ReplyQueue replies) {
    NodeConnection connection = backend.connection;
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
    if (connection.closeSurplus()) {
      replies.add(NodeReply.swallow(connection));
    }
    return connection.prepared().name(statement);
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

  /**
   * What another client prepared before a change of the schema would fail with "cached plan must
   * not change result type", an error that this client has done nothing to earn.
   */
  private void forgetOutdatedStatements(NodeConnection connection) throws NodeLostException {
    long epoch = schemaEpoch.getAsLong();
    if (connection.schemaEpoch() == epoch) {
      return;
    }
    if (connection.prepared().size() > 0) {
      NodeCall.simple(connection, "DEALLOCATE ALL");
    }
    connection.prepared().clear();
    connection.schemaEpoch(epoch);
  }

  private synchronized void hold(Backend backend, NodeConnection connection) {
    backend.connection = connection;
    backend.last = connection;
    held.add(backend);
  }

  private void bringSettings(Backend backend) throws NodeLostException {
    NodeConnection connection = backend.connection;
    SettingsSnapshot wanted = settings.snapshot();
    if (connection.settingsMark() == wanted) {
      return;
    }
    String sql = wanted.replay(connection.settingsMark());
    if (!sql.isEmpty()) {
      connection.settingsMark(SettingsSnapshot.UNKNOWN);
      QueryResult result = NodeCall.simple(connection, sql);
      if (!result.succeeded()) {
        throw new AbelianException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "a setting of this session is refused by "
                + backend
                + ": "
                + result.errorFields().message(),
            "RESET the setting, or make it valid on every node.");
      }
    }
    connection.settingsMark(wanted);
  }

  /** Messages of the current group go there. */
  public void touch(Backend backend) {
    if (!backend.touched) {
      backend.touched = true;
      touched.add(backend);
    }
  }

  /** The group's Sync went to all of them. */
  public void untouch() {
    for (Backend backend : touched) {
      backend.touched = false;
      backend.skips = false;
    }
    touched.clear();
  }

  /** The group's Sync went there. */
  public void untouch(Backend backend) {
    backend.touched = false;
    backend.skips = false;
    touched.remove(backend);
  }

  /**
   * Sends what was written to the nodes. A connection that breaks is found when its answer is read.
   */
  public void flush() {
    for (Backend backend : held) {
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

  /** Nodes shall answer what they have got so far in this group. */
  public void requestAnswers() {
    for (Backend backend : touched) {
      if (backend.connection != null) {
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
      Backend backend = held.get(i);
      backend.begun = false;
      backend.wrote = false;
      if (backend.touched) {
        untouch(backend);
      }
      NodeConnection connection = backend.connection;
      if (connection.isLost() || connection.transactionStatus() != 'I') {
        drop(backend);
      } else if (!backend.pinned) {
        backend.connection = null;
        held.remove(i);
        backend.pool.giveBack(connection);
      }
    }
  }

  /** Closes a backend's connection. */
  public synchronized void drop(Backend backend) {
    NodeConnection connection = backend.connection;
    backend.connection = null;
    backend.last = null;
    backend.begun = false;
    backend.pinned = false;
    untouch(backend);
    held.remove(backend);
    if (connection != null) {
      backend.pool.drop(connection);
    }
  }

  /** Closes the connections that hold state of the session's own, and it with them. */
  public synchronized void dropPinned() {
    for (Backend backend : new ArrayList<>(held)) {
      if (backend.pinned && !backend.begun) {
        drop(backend);
      }
    }
  }

  /** The session ends: what is in doubt is closed, the rest may be had by anyone. */
  public synchronized void close() {
    for (Backend backend : new ArrayList<>(held)) {
      drop(backend);
    }
    for (Backend backend : byNode) {
      if (backend != null && backend.last != null) {
        backend.pool.release(backend.last, session);
        backend.last = null;
      }
    }
  }

  /** Closes the sockets under a session that another thread is running. */
  public synchronized void abort() {
    for (Backend backend : held) {
      backend.connection.close();
    }
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
