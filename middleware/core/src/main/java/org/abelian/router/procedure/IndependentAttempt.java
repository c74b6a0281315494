package org.abelian.router.procedure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.ProposalRound;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FragmentReply;
import org.abelian.router.execution.RouterStatement;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.session.IntentText;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.independent.CallFailures;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.abelian.router.transaction.independent.Refusal;
import org.abelian.router.transaction.independent.Settled;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to run calls as an independent transaction: a round for the proposals, a round for
 * the fragments, and the settlement when one of them does not come to its end everywhere. Several
 * calls, which are those of several sessions, are run one after the other in the same fragment.
 */
public final class IndependentAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(IndependentAttempt.class);

  private static final RouterStatement EXECUTE =
      new RouterStatement(IndependentTransaction.EXECUTE, 5);
  private static final RouterStatement EXECUTE_CALLS =
      new RouterStatement(IndependentTransaction.EXECUTE_CALLS, 5);
  private static final int SETTLE_TRIES = 8;
  private static final Duration SETTLE_PAUSE = Duration.ofMillis(500);

  private final CallContext context;
  private final List<Backend> backends;
  private final List<LaneCall> calls;
  private final IndependentTransaction transaction;
  private ErrorFields error;
  private NodeLostException loss;
  private boolean undone = true;

  /**
   * A new transaction.
   *
   * @param context of the session whose connections are used
   * @param backends to the participants, connected
   * @param calls of any sessions that share all settings with this one
   */
  public IndependentAttempt(CallContext context, List<Backend> backends, List<LaneCall> calls) {
    this.context = context;
    this.backends = backends;
    this.calls = calls;
    try {
      transaction =
          context.services().independents().begin(context.session(), Backend.nodes(backends));
    } catch (NodeUnreachableException unreachable) {
      throw UnreachableParticipant.error(backends, unreachable);
    }
  }

  /** True when it has not taken effect, and never will. */
  public boolean isUndone() {
    return undone;
  }

  /**
   * Runs the calls; each has its result then, or knows why it has none.
   *
   * @return why a node refused to propose, so that nothing has been done; else null
   * @throws RuntimeException why it is not executed, or why nobody knows
   */
  public Refusal run() {
    Refusal refusal = propose();
    if (refusal == null) {
      undone = false;
      execute();
    }
    return refusal;
  }

  // ---- the first round
  // -----------------------------------------------------------------------------------------------

  private Refusal propose() {
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

  private Refusal askForTimestamps() {
    ProposalRound round =
        new ProposalRound(context.services().independents(), transaction, backends);
    round.run(context.engine().replies().timeout());
    error = round.error();
    loss = round.loss();
    if (error != null) {
      throw new ClientError(error);
    } else if (loss != null) {
      throw UnreachableParticipant.error(backends, loss);
    }
    return round.refusal();
  }

  // ---- the second round
  // ----------------------------------------------------------------------------------------------

  /**
   * The fragment is one transaction of its node: it begins with the first message, ends at Sync.
   */
  private void execute() {
    String intent =
        IntentText.settings(context.settings().current()).orElse("")
            + calls.stream().map(LaneCall::intent).collect(Collectors.joining());
    if (areExecuted(intent)) {
      context.services().independents().acknowledged(transaction);
      return;
    }
    Map<Integer, CallFailures> failures = requireExecuted(settle());
    for (int i = 0; i < calls.size(); i++) {
      calls.get(i).settled(errors(failures, i));
    }
  }

  /** Whether all participants have answered that they have executed it. */
  private boolean areExecuted(String intent) {
    try {
      sendExecution(intent);
      return readAnswers();
    } catch (RuntimeException fault) {
      LOG.error("answers to transaction {} could not be read", transaction.id(), fault);
      backends.forEach(backend -> backend.connection.close()); // Nobody must take them for others.
      return false;
    }
  }

  private void sendExecution(String intent) {
    RouterStatement execute = calls.size() > 1 ? EXECUTE_CALLS : EXECUTE;
    for (Backend backend : backends) {
      execute.send(backend.connection, transaction.execution(backend.nodeId, intent));
      calls.forEach(call -> call.send(backend.nodeId, backend.connection));
      ProposalRound.flush(backend.connection, context.engine().replies().timeout());
    }
  }

  private boolean readAnswers() {
    Map<Integer, FragmentReply> replies = new HashMap<>();
    for (Backend backend : backends) {
      FragmentReply reply = new FragmentReply(backend.connection);
      reply.read(context.engine().replies().output(), null, false); // the router's own statement
      replies.put(backend.nodeId, reply);
    }
    calls.forEach(call -> call.read(replies));
    boolean everywhere = true;
    for (Backend backend : backends) {
      FragmentReply reply = replies.get(backend.nodeId);
      calls.get(0).readEnd(reply);
      if (reply.loss() != null) {
        loss = reply.loss();
      } else if (reply.error() != null) {
        ErrorFields fields = ProposalRound.failed(backend, reply.error());
        error = error == null ? fields : error;
      }
      everywhere &= reply.error() == null && reply.loss() == null;
    }
    return everywhere;
  }

  private static Map<Integer, String> errors(Map<Integer, CallFailures> failures, int call) {
    Map<Integer, String> errors = new TreeMap<>();
    failures.forEach(
        (node, failed) -> {
          if (failed.error(call) != null) {
            errors.put(node, failed.error(call));
          }
        });
    return errors;
  }

  // ---- when something is in the way
  // ----------------------------------------------------------------------------------

  /** Empty when it cannot be settled for the time being. */
  private Optional<Settled> settle() {
    for (int attempt = 0; attempt < SETTLE_TRIES; attempt++) {
      try {
        return Optional.of(context.services().independents().settle(transaction));
      } catch (NodeUnreachableException unreachable) {
        Pause.SLEEP.pause(SETTLE_PAUSE);
      }
    }
    return Optional.empty();
  }

  /**
   * What failed, by node, of a transaction that is executed everywhere; otherwise tells why not.
   */
  private Map<Integer, CallFailures> requireExecuted(Optional<Settled> settled) {
    if (settled.isEmpty()) {
      throw new AbelianException(
          SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
          "whether the transaction is committed is not known: a node cannot be reached",
          "It will be committed on all nodes or on none. Look at the data to find out.");
    }
    if (settled.get() instanceof Settled.Executed executed) {
      return executed.failures();
    }
    undone = true;
    if (error != null) {
      throw new ClientError(error);
    }
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        (loss == null ? "a fault of the router" : loss.getMessage())
            + "; the transaction is rolled back",
        "Try the transaction again.");
  }
}
