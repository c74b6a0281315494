package org.abelian.router.engine;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;

/**
 * When the client's transaction and statement have begun, as the first node knows it: the clock of
 * all nodes for a command that computes values for rows.
 *
 * @param moments the two, in microseconds of PostgreSQL's clock
 */
record SharedClock(List<String> moments) {
  private static final NodeStatement MOMENTS =
      NodeStatement.of(
          "SELECT pg_catalog.concat_ws(',',%s,%s)"
              .formatted(micros("transaction_timestamp"), micros("statement_timestamp")));

  /**
   * Asks the first node, which has entered the transaction.
   *
   * @return null when a node has failed, and the client was told
   */
  static SharedClock of(EngineContext context, Backend first) throws IOException {
    context.backends().requestAnswers();
    context.replies().runAll();
    if (context.replies().failed()) {
      return null;
    }
    QueryResult result = NodeCall.prepared(first.connection, MOMENTS, !first.touched);
    if (!result.succeeded()) {
      first.skips = first.touched;
      throw new ClientError(result.errorFields());
    }
    return new SharedClock(List.of(result.value().split(",")));
  }

  /** PostgreSQL counts from the year 2000. */
  private static String micros(String function) {
    return ("((EXTRACT(EPOCH FROM pg_catalog.%s()) OPERATOR(pg_catalog.-) 946684800)"
            + " OPERATOR(pg_catalog.*) 1000000)::pg_catalog.int8")
        .formatted(function);
  }
}
