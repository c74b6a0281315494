package org.abelian.router.backend;

import java.io.IOException;
import java.util.function.Function;
import org.abelian.router.catalog.CatalogSource;
import org.abelian.router.catalog.Node;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodePool;
import org.abelian.router.protocol.ErrorFields;

/**
 * Asks nodes for their catalogues, over connections in the router's own name. Safe for several
 * threads.
 */
public final class CatalogReader implements CatalogSource {
  /** Nothing where the extension is older than what routers ask for: here, than 0.6.0. */
  private static final String QUESTION =
      "SELECT abelian.catalog()::pg_catalog.text WHERE"
          + " pg_catalog.to_regprocedure('abelian.defaults_are_current()') IS NOT NULL";

  private static final int ANSWER_MILLIS = 3_000;

  private final Function<NodeAddress, NodePool> control;

  /**
   * @param control connections to a node in the router's own name
   */
  public CatalogReader(Function<NodeAddress, NodePool> control) {
    this.control = control;
  }

  @Override
  public String read(Node node) throws IOException {
    NodePool pool = control.apply(new NodeAddress(node.host(), node.port()));
    try {
      return ask(pool);
    } catch (NodeLostException lost) {
      return ask(pool); // The node was restarted, and has left the connection behind.
    } catch (AbelianException full) {
      throw new IOException(full.getMessage(), full);
    }
  }

  private String ask(NodePool pool) throws IOException {
    NodeConnection connection = pool.borrow(this, null);
    try {
      QueryResult answer = NodeCall.simple(connection, QUESTION, ANSWER_MILLIS);
      if (answer.succeeded() && answer.rows().isEmpty()) {
        throw new IOException(
            "its extension is older than this router: ALTER EXTENSION abelian UPDATE");
      }
      if (answer.succeeded()) {
        return answer.value();
      }
      throw new IOException(refusal(answer.errorFields()));
    } finally {
      pool.giveBackToAnyone(connection);
    }
  }

  private static String refusal(ErrorFields error) {
    return ConnectionSetup.NOT_INSTALLED.contains(error.sqlState())
        ? "its database lacks the extension: CREATE EXTENSION abelian_cluster CASCADE"
        : error.message();
  }
}
