package org.abelian.router.backend;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;

/** Brings connections to what a session has set, before anything of the client's goes there. */
public final class ConnectionSetup {
  /** The epoch of a connection whose prepared statements the session has forgotten. */
  static final long OUTDATED = -1;

  /** A class of SQLSTATEs. */
  private static final String OPERATOR_INTERVENTION = "57";

  /** Of PostgreSQL, where there is no such schema or function. */
  static final List<String> NOT_INSTALLED = List.of("3F000", "42883");

  private final SessionSettings settings;
  private final SealKeys keys;
  private final LongSupplier schemaEpoch;

  /**
   * For one session.
   *
   * @param settings what it has set
   * @param keys what tells nodes the router's own words from its clients'
   * @param schemaEpoch grows when the schema changes, so that prepared statements may be outdated
   */
  public ConnectionSetup(SessionSettings settings, SealKeys keys, LongSupplier schemaEpoch) {
    this.settings = settings;
    this.keys = keys;
    this.schemaEpoch = schemaEpoch;
  }

  /** Gives the connection the router's key, if its node wants one. */
  void provideKey(Backend backend) {
    try {
      keys.provide(backend.connection);
    } catch (IOException unreachable) {
      throw new AbelianException(
          SqlState.UNABLE_TO_CONNECT,
          "cannot connect to " + backend + ": " + unreachable.getMessage(),
          null,
          "Nothing was done there. Check that the node lets the router's own role in.",
          null);
    }
  }

  /** True when nothing is to be done. */
  boolean isDone(NodeConnection connection) {
    return hasSettings(connection) && connection.schemaEpoch() == schemaEpoch.getAsLong();
  }

  /** True when the connection has the session's settings. */
  boolean hasSettings(NodeConnection connection) {
    return connection.settingsMark() == settings.snapshot();
  }

  /**
   * What another client prepared before a change of the schema would fail with "cached plan must
   * not change result type", an error that this client has done nothing to earn.
   */
  void forgetOutdatedStatements(NodeConnection connection) throws NodeLostException {
    long epoch = schemaEpoch.getAsLong();
    if (connection.schemaEpoch() == epoch) {
      return;
    }
    boolean forgotten = connection.schemaEpoch() == OUTDATED;
    if (forgotten || connection.prepared().size() > 0) {
      NodeCall.simple(connection, "DEALLOCATE ALL");
    }
    connection.prepared().clear();
    connection.schemaEpoch(epoch);
  }

  /**
   * Brings the session's settings there.
   *
   * @param inTransaction whether the session's transaction has begun on some node
   * @return false when the connection is not fit for the session, whatever is set there
   * @throws AbelianException when the node refuses a setting, or has other defaults by now
   */
  boolean bringSettings(Backend backend, boolean inTransaction) throws NodeLostException {
    SettingsSnapshot wanted = settings.snapshot();
    NodeConnection connection = backend.connection;
    Object mark = connection.settingsMark();
    ReportedSettings reported = ReportedSettings.of(connection.settings());
    ReportedSettings defaults = ReportedSettings.of(connection.defaults());
    if (reported.hasMoreNames(wanted.wanted(), defaults) && !wanted.owns(mark)) {
      return false;
    }
    String sql =
        wanted.replay(
            mark, reported, defaults, backend.nodeId, label -> SealKeys.sealed(connection, label));
    if (!sql.isEmpty()) {
      connection.settingsMark(SettingsSnapshot.UNKNOWN);
      QueryResult result = NodeCall.simple(connection, sql);
      if (!result.succeeded()) {
        forgetUnknownName(backend, result.errorFields());
        return bringSettings(backend, inTransaction);
      }
      if (!wanted.owns(mark) && "f".equals(result.value())) {
        return false;
      }
    }
    ReportedSettings now = ReportedSettings.of(connection.settings());
    if (!now.agreesWith(wanted.wanted())) {
      throw otherDefaults(backend, now, inTransaction);
    }
    connection.settingsMark(wanted);
    return true;
  }

  /**
   * A module that the node has loaded does not know a name with its prefix, which the session has
   * made up: as PostgreSQL does where the module is loaded later, the name is removed.
   */
  private void forgetUnknownName(Backend backend, ErrorFields error) {
    if (error.sqlState().startsWith(OPERATOR_INTERVENTION)) {
      throw new ClientError(error); // The client has cancelled, or the node stops.
    }
    if (NOT_INSTALLED.contains(error.sqlState())) {
      throw new AbelianException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          backend + " lacks the extension, or has one that is older than this router",
          error.message(),
          "Update it there: ALTER EXTENSION abelian UPDATE, ALTER EXTENSION abelian_cluster"
              + " UPDATE.",
          null);
    }
    ReportedSettings current = settings.current();
    Optional<String> unknown =
        current.values().keySet().stream()
            .filter(name -> name.indexOf('.') >= 0 && error.message().contains('"' + name + '"'))
            .findFirst();
    if (unknown.isEmpty() || !error.sqlState().equals(SqlState.INVALID_NAME.code())) {
      throw refused(backend, error.message());
    }
    settings.adoptDefaults(current.without(unknown.get()));
  }

  /**
   * The role or the database has got defaults since the session began, which a new connection
   * cannot be without. The session takes them over, unless a transaction has begun without them.
   */
  private AbelianException otherDefaults(
      Backend backend, ReportedSettings now, boolean inTransaction) {
    String changed = String.join(", ", now.namesChangedSince(settings.current()));
    if (!inTransaction) {
      settings.adoptDefaults(now);
    }
    return new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "settings of the role or the database have changed, as " + backend + " says: " + changed,
        "Run it again.");
  }

  /** The error when the node will not have the session's settings. */
  static AbelianException refused(Backend backend, String reason) {
    return new AbelianException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "a setting of this session is refused by " + backend + ": " + reason,
        "RESET the setting, make it valid on every node, or connect again.");
  }
}
