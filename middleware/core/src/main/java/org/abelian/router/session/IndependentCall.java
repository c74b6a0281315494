package org.abelian.router.session;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.transaction.NodeUnreachableException;
import org.abelian.router.transaction.Pause;
import org.abelian.router.transaction.independent.IndependentTransaction;
import org.abelian.router.transaction.independent.IndependentTransactions;
import org.abelian.router.transaction.independent.Refusal;
import org.abelian.router.transaction.independent.Settled;

/**
 * The call is an independent transaction of its own: one round for a timestamp, one for the rest,
 * and no vote. Where a lane does not take part, the call becomes a coordinated transaction.
 */
final class IndependentCall implements ProcedureStrategy {
  private static final int ATTEMPTS = 4;
  private static final String LANES_REFUSED = "lanes refused it " + ATTEMPTS + " times";
  private static final int SETTLE_TRIES = 8;
  private static final int PAUSE_MILLIS = 5;
  private static final Duration SETTLE_PAUSE = Duration.ofMillis(500);

  private final Session session;
  private final JoinedCall joined;

  IndependentCall(Session session, JoinedCall joined) {
    this.session = session;
    this.joined = joined;
  }

  @Override
  public Portal bind(ProcedureCall call, BindMessage bind, boolean answer) throws IOException {
    Optional<String> text =
        IntentText.of(call.statement().sql(), call.routed().facts().parameters(), bind);
    if (text.isEmpty() || !IntentText.canName(call.procedure().signature(), text.get())) {
      session
          .transaction()
          .work()
          .refuse("an argument has a type whose text may not read the same everywhere");
      return joined.bind(call, bind, answer);
    }
    if (answer) {
      session.plan().add(FixedMessage.BIND_COMPLETE);
    }
    Portal.OnNodes portal =
        new Portal.OnNodes(call.statement(), call.routed(), null, call.participants());
    portal.intent = IntentText.named(call.procedure().signature(), text.get());
    portal.bind = new BindMessage();
    portal.bind.look(Arrays.copyOfRange(bind.array(), bind.portalAt() - 5, bind.end()), 0);
    return portal;
  }

  @Override
  public Outcome execute(Portal.OnNodes portal, byte[] name) throws IOException {
    if (portal.intent == null) {
      return joined.execute(portal, name);
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    for (Link link : portal.links) {
      session.links().connect(link);
    }
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (attempt(portal)) {
        session.notRetryable();
        session.control().ending().announce(ClassChoice.independent());
        session.output().commandComplete(portal.routed.facts().tag());
        return Outcome.NEXT;
      }
      int pause = PAUSE_MILLIS * attempt;
      Pause.SLEEP.pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(pause) + 1));
    }
    session.transaction().work().refuse(LANES_REFUSED);
    joined.bind(portal.call, portal.bind, false);
    portal.intent = null;
    return joined.execute(portal, name);
  }

  /** False when a node refused to propose, so that nothing has been done. */
  private boolean attempt(Portal.OnNodes portal) throws NodeLostException {
    IndependentTransactions all = session.router().independents();
    List<Integer> nodes = portal.links.stream().map(link -> link.nodeId).toList();
    IndependentTransaction transaction;
    try {
      transaction = all.begin(session.id(), nodes);
    } catch (NodeUnreachableException unreachable) {
      throw new AbelianException(
          SqlState.CONNECTION_FAILURE, unreachable.getMessage(), "Try the transaction again.");
    }
    boolean proposed = false;
    try {
      proposed = propose(transaction, portal.links);
    } finally {
      if (!proposed) {
        settle(transaction);
      }
    }
    if (proposed) {
      run(transaction, portal);
    }
    return proposed;
  }

  private boolean propose(IndependentTransaction transaction, List<Link> links)
      throws NodeLostException {
    links.forEach(link -> send(link, transaction.proposeQuery(link.nodeId)));
    Link refusing = null;
    Refusal refusal = null;
    Failure failure = null;
    NodeLostException loss = null;
    for (Link link : links) { // every answer is read, whatever the others say
      try {
        QueryResult result = NodeCall.await(link.connection, true);
        if (!result.succeeded()) {
          failure = new Failure(result.errorFields());
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
    if (failure != null) {
      throw failure;
    } else if (loss != null) {
      throw loss;
    } else if (refusal != null) {
      learn(transaction, refusing, refusal);
    }
    return refusal == null;
  }

  private static void send(Link link, String sql) {
    try {
      NodeCall.sendSimple(link.connection, sql);
    } catch (NodeLostException lost) {
      // Its answer will say so.
    }
  }

  private void learn(IndependentTransaction transaction, Link refusing, Refusal refusal) {
    IndependentTransactions all = session.router().independents();
    if (refusal == Refusal.GATE || refusal == Refusal.FULL) {
      return;
    }
    try {
      all.learn(transaction.participants());
      all.learn(refusing.nodeId, refusal);
    } catch (NodeUnreachableException unreachable) {
      // The lane stays closed: the next attempt is refused as well.
    }
  }

  private void run(IndependentTransaction transaction, Portal.OnNodes portal) {
    String settings = IntentText.settings(session.settings()).orElse("");
    for (Link link : portal.links) {
      String text =
          "BEGIN ISOLATION LEVEL READ COMMITTED; "
              + transaction.executeQuery(settings + portal.intent)
              + "; "
              + IndependentTransaction.tellQuery(link.nodeId, transaction.participants())
              + "; "
              + portal.intent
              + "; COMMIT; SELECT abelian.independent_flush()";
      send(link, text);
    }
    Failure failure = null;
    boolean everywhere = true;
    for (Link link : portal.links) {
      try {
        QueryResult result = NodeCall.await(link.connection, true);
        if (!result.succeeded()) {
          everywhere = false;
          failure = failure == null ? new Failure(result.errorFields()) : failure;
          if (link.connection.transactionStatus() != 'I') {
            NodeCall.simple(link.connection, "ROLLBACK");
          }
        }
      } catch (NodeLostException lost) {
        everywhere = false;
      }
    }
    if (everywhere) {
      session.router().independents().acknowledged(transaction);
    } else {
      requireExecuted(settle(transaction), transaction, failure);
    }
  }

  /** Empty when it cannot be settled for the time being. */
  private Optional<Settled> settle(IndependentTransaction transaction) {
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
  private void requireExecuted(
      Optional<Settled> settled, IndependentTransaction transaction, Failure failure) {
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
    if (failure != null) {
      throw failure;
    }
    throw new AbelianException(
        SqlState.SERIALIZATION_FAILURE,
        "the connection to a node was lost; the transaction is rolled back",
        "Try the transaction again.");
  }
}
