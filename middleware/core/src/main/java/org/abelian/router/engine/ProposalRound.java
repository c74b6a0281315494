package org.abelian.router.engine;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.RouterStatement;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.Refusal;

/**
 * The first round of an independent transaction: all participants are asked for a timestamp at the
 * same time, over the session's own connections, which have nothing else to answer
 * (docs/protocols/independent-messages.md). One that has not been proposed everywhere is to be
 * settled.
 */
public final class ProposalRound {
  private static final RouterStatement PROPOSE =
      new RouterStatement(IndependentTransaction.PROPOSE, 5);

  private final IndependentTransactions all;
  private final IndependentTransaction transaction;
  private final List<Backend> backends;
  private ErrorFields error;
  private NodeLostException loss;
  private Refusal refusal;

  /**
   * Nothing is sent yet.
   *
   * @param backends to the participants, connected
   */
  public ProposalRound(
      IndependentTransactions all, IndependentTransaction transaction, List<Backend> backends) {
    this.all = all;
    this.transaction = transaction;
    this.backends = backends;
  }

  /**
   * Asks them, and learns from refusals, so that the next transaction may succeed.
   *
   * @param timeoutMillis for which an answer is waited; 0 for ever
   * @return true when all have proposed
   */
  public boolean run(int timeoutMillis) {
    for (Backend backend : backends) {
      PROPOSE.send(backend.connection, transaction.proposal(backend.nodeId));
      flush(backend.connection, timeoutMillis);
    }
    Backend refusing = null;
    for (Backend backend : backends) { // every answer is read, whatever the others say
      Refusal answer = answer(backend);
      if (answer != null && refusal != Refusal.CLOSED) {
        refusing = backend;
        refusal = answer;
      }
    }
    if (refusing != null && error == null && loss == null) {
      learn(refusing);
    }
    return error == null && loss == null && refusal == null;
  }

  /** Appends Sync and sends what was written; its answer tells when the connection is lost. */
  public static void flush(NodeConnection connection, int timeoutMillis) {
    connection.closeAllSurplus();
    connection.writer().empty(FrontendType.SYNC);
    try {
      connection.timeout(timeoutMillis);
      connection.flush();
    } catch (NodeLostException lost) {
      // Its answer will say so.
    }
  }

  private Refusal answer(Backend backend) {
    try {
      QueryResult result = NodeCall.await(backend.connection, true);
      if (result.succeeded()) {
        return transaction.take(Long.parseLong(result.value()));
      }
      error = error == null ? failed(backend, result.errorFields()) : error;
    } catch (NodeLostException lost) {
      loss = lost;
    }
    return null;
  }

  /** A node has failed: what has to be parsed anew will be. */
  public static ErrorFields failed(Backend backend, ErrorFields fields) {
    if (ErrorFields.CACHED_PLAN_ROUTINE.equals(fields.get(ErrorFields.ROUTINE))) {
      backend.connection.prepared().clear(); // The next attempt parses anew.
    }
    return fields;
  }

  private void learn(Backend refusing) {
    if (refusal == Refusal.GATE || refusal == Refusal.FULL || refusal == Refusal.ISOLATION) {
      return;
    }
    try {
      all.learn(transaction.participants());
      all.learn(refusing.nodeId, refusal);
    } catch (NodeUnreachableException unreachable) {
      // The lane stays closed: the next attempt is refused as well.
    }
  }

  /** A node's error; null for none. */
  public ErrorFields error() {
    return error;
  }

  /** A connection that was lost; null for none. */
  public NodeLostException loss() {
    return loss;
  }

  /** Why a node refused; null when none did. */
  public Refusal refusal() {
    return refusal;
  }
}
