package org.abelian.router.session;

import java.util.Map;
import java.util.function.BooleanSupplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.transaction.Participant;

/**
 * Lets an open transaction go on by a newer version of the catalogue, when somebody else has
 * changed the schema meanwhile. Its nodes would refuse what comes by the older one. What it has
 * used already is as it was: its locks have kept the others from changing it.
 *
 * <p>Rows may have moved since, and a snapshot from before does not see them where they are now. So
 * only transactions go on that take a snapshot for each statement, and only while no table that was
 * placed when they began has got another placement.
 */
public final class CatalogAdvance {
  private final TransactionState state;
  private final BackendSession backends;
  private final CatalogStore catalogs;
  private final BooleanSupplier changesSchema;

  /** What the transaction began with, or older. */
  private Catalog first;

  /** What its nodes have been told last, and statements were prepared by. */
  private Catalog told;

  /**
   * No transaction is open.
   *
   * @param changesSchema whether the open transaction has changed the schema: then nobody else can
   */
  public CatalogAdvance(
      TransactionState state,
      BackendSession backends,
      CatalogStore catalogs,
      BooleanSupplier changesSchema) {
    this.state = state;
    this.backends = backends;
    this.catalogs = catalogs;
    this.changesSchema = changesSchema;
  }

  /** A group of messages begins; nothing waits to be answered. */
  public void groupBegins() {
    Catalog now = catalogs.current();
    if (backends.firstBegun() == null) {
      first = now;
      told = now;
    } else if (now != told && !state.isFailed() && !changesSchema.getAsBoolean() && mayGoOn(now)) {
      advance(now);
    }
  }

  /**
   * The transaction has ended, and with it what its nodes have been told; what comes behind it in
   * the group of messages is for connections that are not set up anew.
   */
  public void ended() {
    if (told != first) {
      NodeStatement sql = NodeStatement.of("SET abelian.placement_version = " + told.version());
      backends.touched().stream().filter(Backend::isUsable).forEach(node -> tell(node, sql));
    }
  }

  /** The transaction has gone back to a savepoint, and its nodes to what they had been told. */
  public void wentBack() {
    if (told != first && backends.firstBegun() != null) {
      advance(told);
    }
  }

  private boolean mayGoOn(Catalog now) {
    return !IsolationSettings.isStrict(state, backends)
        && now.nodes().equals(first.nodes())
        && now.lookups().equals(first.lookups())
        && keepsPlacements(now.tables());
  }

  /** True when each table that was placed is placed as it was, or is no more. */
  private boolean keepsPlacements(Map<TableName, Placement> now) {
    return first.tables().entrySet().stream()
        .allMatch(then -> now.getOrDefault(then.getKey(), then.getValue()).equals(then.getValue()));
  }

  private static void tell(Backend backend, NodeStatement sql) {
    backend.connection.timeout((int) Participant.PATIENCE.toMillis());
    try {
      QueryResult answer =
          backend.touched
              ? NodeCall.once(backend.connection, sql, false)
              : NodeCall.onceAside(backend.connection, sql);
      if (!answer.succeeded()) {
        backend.connection.close(); // Its transaction has failed, which the others must not miss.
      }
      backend.connection.timeout(0);
    } catch (NodeLostException lost) {
      // The next statement for it says so.
    }
  }

  private void advance(Catalog now) {
    // Until the transaction ends: the connection keeps what it is marked with.
    NodeStatement sql = NodeStatement.of("SET LOCAL abelian.placement_version = " + now.version());
    backends.begun().stream().filter(Backend::isUsable).forEach(node -> tell(node, sql));
    if (now != told) {
      backends.forgetStatements();
      backends.settings().placementVersion(now.version());
      told = now;
    }
  }
}
