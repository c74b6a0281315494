package org.abelian.router.statement;

import java.io.IOException;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogParser;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;

/**
 * The catalogue that a session routes by: the committed one that all sessions share, or, from a
 * change of the schema in its transaction to the transaction's end, the one that the transaction
 * sees. A node says only that nothing about the placement has changed, unless something has; and
 * since one transaction at a time can have changed it, no more than one catalogue is read so. Not
 * thread-safe.
 */
public final class SessionCatalog {
  /** The catalogue, if its version is another. */
  private static final NodeStatement READ =
      NodeStatement.of(
          "SELECT CASE WHEN version OPERATOR(pg_catalog.<>) $1::pg_catalog.int8"
              + " THEN abelian.catalog()::pg_catalog.text END FROM abelian.cluster");

  private final CatalogStore committed;
  private final SchemaScope scope;
  private final BackendSession backends;

  /** As the transaction saw it in that state of its schema; null when it was not asked for. */
  private Catalog seen;

  private SchemaScope.Uncommitted seenIn;

  /** The catalogue of a session with these connections. */
  public SessionCatalog(CatalogStore committed, SchemaScope scope, BackendSession backends) {
    this.committed = committed;
    this.scope = scope;
    this.backends = backends;
  }

  /** The committed one. */
  Catalog committed() {
    return committed.current();
  }

  /** What the session's next statement is routed by. */
  Catalog current() {
    SchemaScope.Uncommitted now = scope.uncommitted();
    if (now == null) {
      forget();
    }
    return now != null && now == seenIn ? seen : committed.current();
  }

  /** False while the transaction has changed the schema since a node was asked. */
  public boolean isCurrent() {
    SchemaScope.Uncommitted now = scope.uncommitted();
    return now == null || now == seenIn;
  }

  private void forget() {
    seen = null;
    seenIn = null;
  }

  /**
   * Asks a node of the transaction; nothing else may wait to be answered.
   *
   * @throws RuntimeException the node's error
   */
  public void read() throws IOException {
    SchemaScope.Uncommitted now = scope.uncommitted();
    Catalog shared = committed.current();
    Backend backend = witness();
    if (backend == null) {
      seen = shared; // What changed the schema has left no transaction behind.
    } else {
      // A version is made a second time by a change after ROLLBACK TO a savepoint.
      boolean known = seen != null && now.follows(seenIn);
      Catalog last = known ? seen : shared;
      String changed = changedSince(backend, last.version());
      seen = changed == null ? last : CatalogParser.parse(changed, shared.first());
    }
    seenIn = now;
  }

  /** A node where the change is to be seen; null when there is none. */
  private Backend witness() {
    Backend begun = backends.firstBegun();
    return begun != null || backends.touched().isEmpty() ? begun : backends.touched().get(0);
  }

  private static String changedSince(Backend backend, long version) throws IOException {
    if (!backend.isUsable()) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE,
          "the connection to " + backend + " was lost",
          "ROLLBACK the transaction.");
    }
    QueryResult result =
        NodeCall.prepared(backend.connection, READ, !backend.touched, Long.toString(version));
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    return result.value();
  }
}
