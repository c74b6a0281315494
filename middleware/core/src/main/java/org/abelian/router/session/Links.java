package org.abelian.router.session;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeIdentity;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeRefusedException;
import org.abelian.router.protocol.ErrorFields;

/**
 * A session's links to nodes: which connections it holds, and which of them the current group of
 * messages used.
 */
final class Links {
  private final Object session;
  private final Router router;
  private final NodeIdentity identity;
  private final SessionSettings settings;
  private Link[] byNode = new Link[8];
  private final List<Link> held = new ArrayList<>();
  private final List<Link> touched = new ArrayList<>();
  private Link lastUsed;

  Links(Object session, Router router, NodeIdentity identity, SessionSettings settings) {
    this.session = session;
    this.router = router;
    this.identity = identity;
    this.settings = settings;
  }

  /** The link to a node of the catalogue. */
  Link link(Catalog catalog, int nodeId) {
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
    return link(node);
  }

  /** The link to a node. */
  synchronized Link link(Node node) {
    if (node.id() >= byNode.length) {
      byNode = Arrays.copyOf(byNode, Math.max(node.id() + 1, byNode.length * 2));
    }
    Link link = byNode[node.id()];
    if (link == null) {
      link =
          new Link(
              node.id(), router.pools().pool(new NodeAddress(node.host(), node.port()), identity));
      byNode[node.id()] = link;
    }
    return link;
  }

  /** The connections that the session holds now. */
  List<Link> held() {
    return held;
  }

  /** The links that got messages of the current group. */
  List<Link> touched() {
    return touched;
  }

  /** The links on which the session's transaction is open, in the order in which they joined. */
  List<Link> begun() {
    List<Link> result = new ArrayList<>(held.size());
    for (Link link : held) {
      if (link.begun) {
        result.add(link);
      }
    }
    return result;
  }

  /** The first link on which the session's transaction is open; null when there is none. */
  Link firstBegun() {
    for (Link link : held) {
      if (link.begun) {
        return link;
      }
    }
    return null;
  }

  /** How many nodes the transaction is open on. */
  int begunCount() {
    int count = 0;
    for (Link link : held) {
      if (link.begun) {
        count++;
      }
    }
    return count;
  }

  /** The link that was used last; null when there is none. */
  Link lastUsed() {
    return lastUsed;
  }

  /**
   * Makes sure that the link has a connection with the session's settings.
   *
   * @throws AbelianException when there is none to be had, or a setting cannot be made
   */
  void connect(Link link) {
    if (link.connection == null) {
      borrow(link);
    }
    provideKey(link);
    if (!link.begun && !link.touched) {
      if (!isSetUp(link.connection)) {
        setUp(link);
      }
      link.seen = settings.current();
    }
    lastUsed = link;
  }

  private void provideKey(Link link) {
    try {
      router.sealKeys().provide(link.connection);
    } catch (IOException unreachable) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "cannot connect to " + link + ": " + unreachable.getMessage(),
          null,
          "Nothing was done there. Check that the node lets the router's own role in.",
          null);
    }
  }

  private boolean isSetUp(NodeConnection connection) {
    return connection.settingsMark() == settings.snapshot()
        && connection.schemaEpoch() == router.schemaEpoch();
  }

  private void setUp(Link link) {
    boolean replaceable = !link.pinned;
    try {
      forgetOutdatedStatements(link.connection);
      bringSettings(link);
    } catch (NodeLostException lost) {
      drop(link);
      if (!replaceable) {
        throw cannotSetUp(link, lost);
      }
      replace(link);
    }
  }

  /** The connection broke while it was idle, and nothing of the client's was sent there. */
  private void replace(Link link) {
    borrow(link);
    provideKey(link);
    try {
      forgetOutdatedStatements(link.connection);
      bringSettings(link);
    } catch (NodeLostException again) {
      drop(link);
      throw cannotSetUp(link, again);
    }
  }

  private static AbelianException cannotSetUp(Link link, NodeLostException cause) {
    return new AbelianException(
        SqlState.UNABLE_TO_CONNECT,
        "cannot set up the connection to " + link + ": " + cause.getMessage(),
        null);
  }

  private void borrow(Link link) {
    try {
      hold(link, link.pool.borrow(session, link.last));
    } catch (NodeRefusedException e) {
      throw new Failure(
          e.error()
              .with(ErrorFields.SEVERITY, "ERROR")
              .with(ErrorFields.SEVERITY_UNTRANSLATED, "ERROR"));
    } catch (IOException e) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "cannot connect to " + link + ": " + e.getMessage(),
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
    long epoch = router.schemaEpoch();
    if (connection.schemaEpoch() == epoch) {
      return;
    }
    if (connection.prepared().size() > 0) {
      NodeCall.simple(connection, "DEALLOCATE ALL");
    }
    connection.prepared().clear();
    connection.schemaEpoch(epoch);
  }

  private synchronized void hold(Link link, NodeConnection connection) {
    link.connection = connection;
    link.last = connection;
    link.seen = null;
    held.add(link);
  }

  private void bringSettings(Link link) throws NodeLostException {
    SettingsSnapshot wanted = settings.snapshot();
    // Ends, since each connection that is not fit leaves the pool.
    while (link.connection.settingsMark() != wanted && !bringSettings(link, wanted)) {
      if (link.pinned) {
        throw refusedSettings(link, "its connection cannot be replaced");
      }
      drop(link);
      borrow(link);
      provideKey(link);
    }
  }

  /** False when the connection is not fit for the session, whatever is set there. */
  private boolean bringSettings(Link link, SettingsSnapshot wanted) throws NodeLostException {
    NodeConnection connection = link.connection;
    Object mark = connection.settingsMark();
    ReportedSettings reported = ReportedSettings.of(connection.settings());
    ReportedSettings defaults = ReportedSettings.of(connection.defaults());
    if (reported.hasMoreNames(wanted.wanted(), defaults) && !wanted.owns(mark)) {
      return false;
    }
    String sql =
        wanted.replay(
            mark, reported, defaults, link.nodeId, label -> SealKeys.sealed(connection, label));
    if (!sql.isEmpty()) {
      connection.settingsMark(SettingsSnapshot.UNKNOWN);
      QueryResult result = NodeCall.simple(connection, sql);
      if (!result.succeeded()) {
        return withoutUnknownName(link, result.errorFields());
      }
      if (!wanted.owns(mark) && "f".equals(result.value())) {
        return false;
      }
    }
    ReportedSettings now = ReportedSettings.of(connection.settings());
    if (!now.agreesWith(wanted.wanted())) {
      throw otherDefaults(link, now);
    }
    connection.settingsMark(wanted);
    return true;
  }

  /**
   * A module that the node has loaded does not know a name with its prefix, which the session has
   * made up: as PostgreSQL does where the module is loaded later, the name is removed.
   */
  private boolean withoutUnknownName(Link link, ErrorFields error) throws NodeLostException {
    ReportedSettings current = settings.current();
    Optional<String> unknown =
        current.values().keySet().stream()
            .filter(name -> name.indexOf('.') >= 0 && error.message().contains('"' + name + '"'))
            .findFirst();
    if (unknown.isEmpty() || !error.sqlState().equals(SqlState.INVALID_NAME.code())) {
      throw refusedSettings(link, error.message());
    }
    settings.adoptDefaults(current.without(unknown.get()));
    return bringSettings(link, settings.snapshot());
  }

  /**
   * The role or the database has got defaults since the session began, which a new connection
   * cannot be without. The session takes them over, unless a transaction has begun without them.
   */
  private AbelianException otherDefaults(Link link, ReportedSettings now) {
    String changed = String.join(", ", now.namesChangedSince(settings.current()));
    if (firstBegun() == null) {
      settings.adoptDefaults(now);
    }
    return new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "settings of the role or the database have changed, as " + link + " says: " + changed,
        "Run it again.");
  }

  private static AbelianException refusedSettings(Link link, String reason) {
    return new AbelianException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "a setting of this session is refused by " + link + ": " + reason,
        "RESET the setting, make it valid on every node, or connect again.");
  }

  /** Messages of the current group go there. */
  void touch(Link link) {
    if (!link.touched) {
      link.touched = true;
      touched.add(link);
    }
  }

  /** How many bytes of the current group wait to be sent. */
  int unsent() {
    int bytes = 0;
    for (int i = 0; i < touched.size(); i++) {
      NodeConnection connection = touched.get(i).connection;
      bytes += connection == null ? 0 : connection.unsent();
    }
    return bytes;
  }

  /** The group's Sync went to all of them. */
  void untouch() {
    for (Link link : touched) {
      link.touched = false;
      link.skips = false;
    }
    touched.clear();
  }

  /** The group's Sync went there. */
  void untouch(Link link) {
    link.touched = false;
    link.skips = false;
    touched.remove(link);
  }

  /**
   * Sends what was written to the nodes. A connection that breaks is found when its answer is read.
   */
  void flush() {
    for (Link link : held) {
      if (link.connection.unsent() > 0) {
        try {
          link.connection.flush();
        } catch (IOException e) {
          // It is lost now, and the answer that is waited for will say so.
          continue;
        }
      }
    }
  }

  /**
   * No transaction is open: connections go back, but each session keeps its own while nobody else
   * needs it.
   */
  synchronized void release() {
    for (int i = held.size() - 1; i >= 0; i--) {
      Link link = held.get(i);
      link.begun = false;
      link.wrote = false;
      if (link.touched) {
        untouch(link);
      }
      NodeConnection connection = link.connection;
      if (connection.isLost() || connection.transactionStatus() != 'I') {
        drop(link);
      } else if (!link.pinned) {
        link.connection = null;
        held.remove(i);
        link.pool.giveBack(connection);
      }
    }
  }

  /** Closes a link's connection. */
  synchronized void drop(Link link) {
    NodeConnection connection = link.connection;
    link.connection = null;
    link.last = null;
    link.begun = false;
    link.pinned = false;
    untouch(link);
    held.remove(link);
    if (connection != null) {
      link.pool.drop(connection);
    }
  }

  /** Closes the connections that hold state of the session's own, and it with them. */
  synchronized void dropPinned() {
    for (Link link : new ArrayList<>(held)) {
      if (link.pinned && !link.begun) {
        drop(link);
      }
    }
  }

  /** The session ends: what is in doubt is closed, the rest may be had by anyone. */
  synchronized void close() {
    for (Link link : new ArrayList<>(held)) {
      drop(link);
    }
    for (Link link : byNode) {
      if (link != null && link.last != null) {
        link.pool.release(link.last, session);
        link.last = null;
      }
    }
  }

  /** True while the session's thread waits for one of its nodes. From any thread. */
  synchronized boolean isWaiting() {
    return held.stream().anyMatch(link -> link.connection.isWaiting());
  }

  /** Closes the sockets under a session that another thread is running. */
  synchronized void abort() {
    for (Link link : held) {
      link.connection.close();
    }
  }

  /** Asks the nodes to cancel what they do for the session; from any thread. */
  void cancel() {
    List<NodeConnection> running = new ArrayList<>();
    synchronized (this) {
      for (Link link : held) {
        running.add(link.connection);
      }
    }
    running.forEach(connection -> connection.cancel(session));
  }
}
