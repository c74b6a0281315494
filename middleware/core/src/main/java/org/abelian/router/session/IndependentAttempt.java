package org.abelian.router.session;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.FragmentReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.Refusal;
import org.abelian.router.transaction.independent.Settled;

/**
 * One attempt to run a call as an independent transaction: a round for the proposals, a round for
 * the fragments, and the settlement when one of them does not come to its end everywhere.
 */
final class IndependentAttempt {
  private static final NodeStatement PROPOSE = NodeStatement.of(IndependentTransaction.PROPOSE);
  private static final NodeStatement EXECUTE = NodeStatement.of(IndependentTransaction.EXECUTE);
  private static final String CACHED_PLAN_ROUTINE = "RevalidateCachedQuery";
  private static final int SETTLE_TRIES = 8;
  private static final Duration SETTLE_PAUSE = Duration.ofMillis(500);

  private final Session session;
  private final Portal.OnNodes portal;
  private final List<Link> links;
  private final IndependentTransaction transaction;
  private ErrorFields error;
  private NodeLostException loss;

  private IndependentAttempt(
      Session session, Portal.OnNodes portal, IndependentTransaction transaction) {
    this.session = session;
    this.portal = portal;
    this.links = portal.links;
    this.transaction = transaction;
  }

  /**
   * Runs the call; the client gets the result.
   *
   * @return why a node refused to propose, so that nothing has been done; else null
   * @throws RuntimeException what the client is to be told when it is not committed, or when nobody
   *     knows, or when the result is lost
   */
  static Refusal run(Session session, Portal.OnNodes portal) throws NodeLostException {
    IndependentAttempt attempt = begin(session, portal);
    Refusal refusal = attempt.propose();
    if (refusal == null) {
      attempt.execute();
    }
    return refusal;
  }

  private static IndependentAttempt begin(Session session, Portal.OnNodes portal) {
    List<Integer> nodes = portal.links.stream().map(link -> link.nodeId).toList();
    try {
      IndependentTransaction transaction =
          session.router().independents().begin(session.id(), nodes);
      return new IndependentAttempt(session, portal, transaction);
    } catch (NodeUnreachableException unreachable) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE, unreachable.getMessage(), "Try the transaction again.");
    }
  }

  // ---- the first round
  // -----------------------------------------------------------------------------------------------

  private Refusal propose() throws NodeLostException {
    boolean proposed = false;
    try {
      Refusal refusal = askForTimestamps();
      proposed = refusal == null;
      return refusal;
    } finally {
      if (!proposed) {
        settle();
      }
    }
  }

  private Refusal askForTimestamps() throws NodeLostException {
    for (Link link : links) {
      NodeCall.sendPrepared(link.connection, PROPOSE, transaction.proposal(link.nodeId));
      send(link.connection);
    }
    Link refusing = null;
    Refusal refusal = null;
    for (Link link : links) { // every answer is read, whatever the others say
      try {
        QueryResult result = NodeCall.await(link.connection, true);
        if (!result.succeeded()) {
          failed(link, result.errorFields());
          continue;
        }
        Refusal answer = transaction.take(Long.parseLong(result.value()));
        if (answer != null && refusal != Refusal.CLOSED) {
          refusing = link;
          refusal = answer;
        }
      } catch (NodeLostException lost) {
        loss = lost;
      }
    }
    if (error != null) {
      throw new Failure(error);
    } else if (loss != null) {
      throw loss;
    } else if (refusal != null) {
      learn(refusing, refusal);
    }
    return refusal;
  }

  private static void send(NodeConnection connection) {
    connection.closeSurplus();
    connection.writer().empty(FrontendType.SYNC);
    try {
      connection.flush();
    } catch (NodeLostException lost) {
      // Its answer will say so.
    }
  }

  private void failed(Link link, ErrorFields fields) {
    if (CACHED_PLAN_ROUTINE.equals(fields.get(ErrorFields.ROUTINE))) {
      link.connection.prepared().clear(); // The next attempt parses anew.
    }
    error = error == null ? fields : error;
  }

  private void learn(Link refusing, Refusal refusal) {
    IndependentTransactions all = session.router().independents();
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

  // ---- the second round
  // ----------------------------------------------------------------------------------------------

  /**
   * The fragment is one transaction of its node: it begins with the first message, ends at Sync.
   */
  private void execute() {
    String intent = IntentText.settings(session.settings()).orElse("") + portal.intent;
    for (Link link : links) {
      NodeCall.sendPrepared(link.connection, EXECUTE, transaction.execution(link.nodeId, intent));
      boolean describes = link == links.get(0) && portal.describes;
      NodeCall.sendBound(link.connection, portal.statement().statement(), portal.bind, describes);
      send(link.connection);
    }
    ProcedureFacts procedure = portal.call.procedure();
    ResultMerge merge = ResultMerge.of(procedure, portal.resultFormats);
    boolean everywhere = true;
    long start = session.output().position();
    for (Link link : links) {
      boolean describes = link == links.get(0) && portal.describes;
      everywhere &= isExecuted(link, everywhere ? merge : null, describes);
    }
    if (everywhere) {
      session.router().independents().acknowledged(transaction);
      committed();
      merge.finish(session.output());
      return;
    }
    session.output().rewind(start);
    requireExecuted(settle());
    committed();
    if (!procedure.columns().isEmpty()) {
      throw new AbelianException(
          SqlState.RESULT_LOST,
          "the transaction is committed, but rows of its result were lost with a connection",
          "Do not run it again: it has taken effect on all nodes. Read the result from the"
              + " tables.");
    }
    if (portal.describes) {
      session.output().writer().empty(BackendType.NO_DATA);
    }
    session.output().commandComplete(portal.routed.facts().tag());
  }

  private void committed() {
    session.notRetryable();
    session.control().ending().announce(ClassChoice.independent());
  }

  private boolean isExecuted(Link link, ResultMerge merge, boolean describes) {
    try {
      ErrorFields fields = FragmentReply.read(link.connection, session.output(), merge, describes);
      if (fields == null) {
        return true;
      }
      failed(link, fields);
    } catch (NodeLostException lost) {
      loss = lost;
    }
    return false;
  }

  // ---- when something is in the way
  // ----------------------------------------------------------------------------------

  /** Empty when it cannot be settled for the time being. */
  private Optional<Settled> settle() {
    for (int attempt = 0; attempt < SETTLE_TRIES; attempt++) {
      try {
        return Optional.of(session.router().independents().settle(transaction));
      } catch (NodeUnreachableException unreachable) {
        Pause.SLEEP.pause(SETTLE_PAUSE);
      }
    }
    return Optional.empty();
  }

  /** Returns when the transaction is executed everywhere; otherwise tells why not. */
  private void requireExecuted(Optional<Settled> settled) {
    if (settled.isEmpty()) {
      throw new AbelianException(
          SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
          "whether the transaction is committed is not known: a node cannot be reached",
          "It will be committed on all nodes or on none. Look at the data to find out.");
    }
    if (settled.get() instanceof Settled.Executed executed) {
      if (!executed.failures().isEmpty()) {
        session.router().promises().look();
        throw new AbelianException(
            SqlState.BROKEN_PROMISE,
            "the procedure is not independent: it was executed on some nodes of "
                + transaction.participants()
                + ", while others could not run it",
            executed.failures().toString(),
            "It is called no more. Repair the data of these nodes, correct it, and call"
                + " create_distributed_procedure() again.",
            null);
      }
      return;
    }
    if (error != null) {
      throw new Failure(error);
    }
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "the connection to a node was lost; the transaction is rolled back",
        "Try the transaction again.");
  }
}
