package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    Gid gid = ledger.begin(request.session(), intent);
    String sql = commit(IntentId.of(gid), intent);
    request.writers().forEach(writer -> writer.send(sql));
    request.readers().forEach(reader -> reader.send("COMMIT"));
    Round round = new Round();
    request.writers().forEach(writer -> round.take(writer.nodeId(), writer.await()));
    // What was only read there cannot make a difference any more.
    request.readers().forEach(Participant::await);
    request.writers().forEach(CommutingCommit::rollBack);
    return finish(gid, intent, round);
  }

  /**
   * Does all of a transaction, its work included, in one message to each participant.
   *
   * @param fragments one for each node of the intent
   */
  public CommitOutcome run(
      long session, Intent intent, List<? extends CommutingFragment> fragments) {
    Gid gid = ledger.begin(session, intent);
    fragments.forEach(fragment -> fragment.send(IntentId.of(gid), intent));
    Round round = new Round();
    fragments.forEach(fragment -> round.take(fragment.nodeId(), fragment.await()));
    return finish(gid, intent, round);
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

  private CommitOutcome finish(Gid gid, Intent intent, Round round) {
    Map<Integer, Answer> refusals = round.refusals;
    int committed = round.committed;
    if (refusals.isEmpty()) {
      ledger.over(gid);
      return new CommitOutcome.Committed(List.of());
    }
    if (committed >= 0) {
      return complete(gid, intent, committed);
    }
    return settle(gid, intent, refusals);
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
  private CommitOutcome complete(Gid gid, Intent intent, int source) {
    List<Integer> missing = List.of();
    for (int attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) {
        pause.pause(RETRY_PAUSE);
      }
      missing = completion.complete(IntentId.of(gid), intent.nodes(), source);
      if (missing.isEmpty()) {
        ledger.over(gid);
        return new CommitOutcome.Committed(List.of());
      }
    }
    ledger.leave(gid, false);
    List<String> warnings = new ArrayList<>();
    for (int node : missing) {
      warnings.add(
          "the transaction is committed, but "
              + network.describe(node)
              + " could not be told yet: its part becomes visible when recovery reaches it");
    }
    return new CommitOutcome.Committed(warnings);
  }

  /** No node is known to have committed: makes sure that none has, or will, unless one did. */
  private CommitOutcome settle(Gid gid, Intent intent, Map<Integer, Answer> refusals) {
    if (refusals.values().stream().noneMatch(CommutingCommit::isDoubtful)) {
      ledger.over(gid);
      return refusal(refusals);
    }
    for (int attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) {
        pause.pause(RETRY_PAUSE);
      }
      IntentCompletion.Standing standing = completion.settle(IntentId.of(gid), intent.nodes());
      if (standing.committed().isPresent()) {
        return complete(gid, intent, standing.committed().get());
      }
      if (standing.barred()) {
        ledger.over(gid);
        return refusal(refusals);
      }
      if (standing.over()) {
        ledger.over(gid);
        return unknown(gid);
      }
    }
    ledger.leave(gid, true);
    return unknown(gid);
  }

  /** Lost, or refused because recovery has been here: another node may tell more. */
  private static boolean isDoubtful(Answer answer) {
    return answer instanceof Answer.Lost
        || answer instanceof Answer.Failed failed
            && (BARRED.equals(failed.constraint()) || CLOSED.equals(failed.sqlState()));
  }

  private CommitOutcome refusal(Map<Integer, Answer> refusals) {
    Optional<Map.Entry<Integer, Answer>> own =
        refusals.entrySet().stream()
            .filter(entry -> entry.getValue() instanceof Answer.Failed)
            .filter(entry -> !isDoubtful(entry.getValue()))
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
