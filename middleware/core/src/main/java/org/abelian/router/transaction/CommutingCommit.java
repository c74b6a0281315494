package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * Commits a transaction of blind commuting operations on several nodes in one round and without
 * prepare: each node commits its part together with the intent of the whole, and the first such
 * commit decides. docs/protocols/commuting.md has the algorithm and the argument for its safety.
 * Safe for several threads, one call per transaction.
 */
public final class CommutingCommit {
  private static final int TRIES = 3;
  private static final int FAILURES_MAX = 2;
  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);
  private static final String BARRED = "intent_pkey";
  private static final String CLOSED = "40001";

  private final IntentNetwork network;
  private final IntentLedger ledger;
  private final IntentCompletion completion;
  private final Pause pause;

  /** One for each router. */
  public CommutingCommit(IntentNetwork network, IntentLedger ledger, Pause pause) {
    this.network = network;
    this.ledger = ledger;
    this.completion = new IntentCompletion(network);
    this.pause = pause;
  }

  /** Commits. Afterwards no participant has the transaction open, unless its connection is lost. */
  public CommitOutcome commit(CommitRequest request, Intent intent) {
    Commit own = begin(request.session(), intent);
    String sql = commit(IntentId.of(own.gid), intent);
    request.writers().forEach(writer -> writer.send(sql));
    request.readers().forEach(reader -> reader.send("COMMIT"));
    Round round = new Round();
    request.writers().forEach(writer -> round.take(writer.nodeId(), writer.await()));
    // What was only read there cannot make a difference any more.
    request.readers().forEach(Participant::await);
    request.writers().forEach(CommutingCommit::rollBack);
    return finish(List.of(own), round).get(0);
  }

  /**
   * Does all of some transactions, their work included, in one message to each participant, which
   * runs it as one local transaction. Each has an intent of its own, so that what keeps one from
   * being completed does not keep the others.
   *
   * @param intents of the same nodes
   * @param fragments one for each of these nodes
   * @return what became of each
   */
  public List<CommitOutcome> run(
      long session, List<Intent> intents, List<? extends CommutingFragment> fragments) {
    List<Commit> all = intents.stream().map(intent -> begin(session, intent)).toList();
    List<IntentId> ids = all.stream().map(one -> IntentId.of(one.gid)).toList();
    try {
      fragments.forEach(fragment -> fragment.send(ids, intents));
      Round round = new Round();
      fragments.forEach(fragment -> round.take(fragment.nodeId(), fragment.await()));
      return finish(all, round);
    } finally {
      // After a fault of the router: recovery finds out.
      all.stream().filter(one -> one.outcome == null).forEach(this::leave);
    }
  }

  private Commit begin(long session, Intent intent) {
    return new Commit(ledger.begin(session, intent), intent);
  }

  /** A transaction on its way to its outcome. */
  private static final class Commit {
    final Gid gid;
    final Intent intent;

    /** The nodes that may lack their part, when it is known to be committed. */
    List<Integer> missing;

    /** Null as long as nobody knows. */
    CommitOutcome outcome;

    Commit(Gid gid, Intent intent) {
      this.gid = gid;
      this.intent = intent;
    }
  }

  /** What the participants have answered. */
  private static final class Round {
    final Map<Integer, Answer> refusals = new LinkedHashMap<>();
    int committed = -1;

    void take(int node, Answer answer) {
      if (answer instanceof Answer.Done done && done.tag().equals("COMMIT")) {
        committed = node;
      } else {
        refusals.put(node, answer);
      }
    }
  }

  private List<CommitOutcome> finish(List<Commit> all, Round round) {
    if (round.refusals.isEmpty()) {
      all.forEach(one -> over(one, new CommitOutcome.Committed(List.of())));
    } else if (round.committed >= 0) {
      all.forEach(one -> one.missing = List.copyOf(round.refusals.keySet()));
      repeat(all, one -> complete(one, round.committed));
    } else if (round.refusals.values().stream().noneMatch(CommutingCommit::isDoubtful)) {
      all.forEach(one -> over(one, refusal(round.refusals)));
    } else {
      repeat(all, one -> settle(one, round.refusals));
    }
    return all.stream().map(one -> one.outcome).toList();
  }

  private void over(Commit one, CommitOutcome outcome) {
    ledger.over(one.gid);
    one.outcome = outcome;
  }

  /**
   * Tries until each has an outcome, a few times. When some have failed in one go, the rest waits
   * for the next, and is tried first then: the reason is a node, most likely.
   */
  private void repeat(List<Commit> all, Consumer<Commit> step) {
    Deque<Commit> open = new ArrayDeque<>(all);
    for (int attempt = 0; attempt < TRIES && !open.isEmpty(); attempt++) {
      if (attempt > 0) {
        pause.pause(RETRY_PAUSE);
      }
      int failures = 0;
      for (int left = open.size(); left > 0 && failures < FAILURES_MAX; left--) {
        Commit one = open.remove();
        step.accept(one);
        if (one.outcome == null) {
          open.add(one);
          failures++;
        }
      }
    }
    open.forEach(this::leave);
  }

  /** The message that commits a node's part together with the intent. */
  static String commit(IntentId id, Intent intent) {
    StringBuilder sql = new StringBuilder("SELECT abelian.commit_intent('");
    sql.append(id.router()).append("',").append(id.number()).append(",'{");
    for (int i = 0; i < intent.nodes().size(); i++) {
      sql.append(i == 0 ? "" : ",").append(intent.nodes().get(i));
    }
    // This form of a literal is read alike whatever standard_conforming_strings says.
    String literal = intent.work().replace("\\", "\\\\").replace("'", "''");
    return sql.append("}',E'").append(literal).append("'); COMMIT").toString();
  }

  private static void rollBack(Participant participant) {
    if (participant.inTransaction()) {
      participant.send("ROLLBACK");
      participant.await();
    }
  }

  /** It has committed somewhere: what is missing is done from there. */
  private void complete(Commit one, int source) {
    one.missing = completion.complete(IntentId.of(one.gid), one.intent.nodes(), source);
    if (one.missing.isEmpty()) {
      over(one, new CommitOutcome.Committed(List.of()));
    }
  }

  /** No node is known to have committed: makes sure that none has, or will, unless one did. */
  private void settle(Commit one, Map<Integer, Answer> refusals) {
    IntentCompletion.Standing standing =
        completion.settle(IntentId.of(one.gid), one.intent.nodes());
    if (standing.committed().isPresent()) {
      complete(one, standing.committed().get());
    } else if (standing.barred()) {
      over(one, refusal(refusals));
    } else if (standing.over()) {
      over(one, unknown(one.gid));
    }
  }

  /** Leaves the rest to recovery. */
  private void leave(Commit one) {
    boolean committed = one.missing != null;
    ledger.leave(one.gid, !committed);
    one.outcome = committed ? committed(one.missing) : unknown(one.gid);
  }

  private CommitOutcome committed(List<Integer> missing) {
    return new CommitOutcome.Committed(
        missing.stream()
            .map(
                node ->
                    "the transaction is committed, but "
                        + network.describe(node)
                        + " could not be told yet: its part becomes visible when recovery reaches"
                        + " it")
            .toList());
  }

  /** Lost, or refused because recovery has been here: another node may tell more. */
  private static boolean isDoubtful(Answer answer) {
    return answer instanceof Answer.Lost
        || answer instanceof Answer.Failed failed
            && (isBarred(failed) || CLOSED.equals(failed.sqlState()));
  }

  private static boolean isBarred(Answer.Failed failed) {
    return BARRED.equals(failed.constraint());
  }

  private CommitOutcome refusal(Map<Integer, Answer> refusals) {
    Optional<Map.Entry<Integer, Answer>> own =
        refusals.entrySet().stream()
            .filter(entry -> entry.getValue() instanceof Answer.Failed)
            // What a node says when another has barred the transaction is of no use to a client.
            .filter(entry -> !isBarred((Answer.Failed) entry.getValue()))
            .findFirst();
    if (own.isPresent()) {
      return new CommitOutcome.RolledBackByNode(
          own.get().getKey(), (Answer.Failed) own.get().getValue());
    }
    if (refusals.values().stream().allMatch(Answer.Done.class::isInstance)) {
      return new CommitOutcome.RolledBackSilently();
    }
    return new CommitOutcome.RolledBack(
        new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            "connections were lost during COMMIT; the transaction is rolled back",
            "Try the transaction again."));
  }

  private CommitOutcome unknown(Gid gid) {
    return new CommitOutcome.Unknown(
        new AbelianException(
            SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
            "whether the transaction is committed is not known: its nodes were lost during COMMIT",
            "The transaction's token is " + gid + ".",
            "Ask later: SELECT abelian.transaction_outcome('" + gid + "')",
            null));
  }
}
