package org.abelian.router.engine;

import java.util.UUID;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ExchangeLimit;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.session.Cancellation;
import org.abelian.router.session.GroupRetry;
import org.abelian.router.session.SnapshotGate;
import org.abelian.router.session.Transactions;
import org.abelian.router.statement.SchemaScope;

/**
 * What executions use of their session.
 *
 * @param backends its connections to the nodes
 * @param transactions its transaction, over as many nodes as it reaches
 * @param replies what its client is told next
 * @param gate holds off commits while a read takes its snapshots on several nodes
 * @param retry whether its group of messages may be run once more
 * @param scope whose schema it sees
 * @param memory counts what is kept of nodes' rows
 * @param router the number of the router, by which nodes know it
 * @param cancellation whether what it does is to end
 * @param group the messages that the client has sent with the one that is planned
 * @param guesses where rows were that lookup indexes led to
 * @param exchanges what moves between nodes
 * @param turns places of its reads among independent transactions
 */
public record EngineContext(
    BackendSession backends,
    Transactions transactions,
    ReplyQueue replies,
    SnapshotGate gate,
    GroupRetry retry,
    SchemaScope scope,
    MemoryBudget memory,
    UUID router,
    Cancellation cancellation,
    GroupView group,
    LookupGuesses guesses,
    Exchanges exchanges,
    ReadTurns turns) {
  /**
   * How many bytes of rows a step of a statement may bring from some nodes to others.
   *
   * @throws AbelianException 0A000 while array_nulls is off: rows travel as arrays, and no array's
   *     text has a NULL then
   */
  long exchangeLimit() {
    if (backends.says("array_nulls", "off")) {
      throw AbelianException.unsupported(
          "rows cannot be brought from node to node while array_nulls is off",
          "SET array_nulls = on.");
    }
    return ExchangeLimit.of(backends.setting(ExchangeLimit.SETTING));
  }
}
