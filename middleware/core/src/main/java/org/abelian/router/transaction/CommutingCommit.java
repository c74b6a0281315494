package org.abelian.router.transaction;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Commits a transaction of blind commuting operations on several nodes in one round and without
 * prepare: each node commits its part together with the intent of the whole, and the first such
 * commit decides. docs/protocols/commuting.md has the algorithm and the argument for its safety.
 * Safe for several threads, one call per transaction.
 */
public final class CommutingCommit {
  private final IntentLedger ledger;
  private final CommutingEnding.Means means;

  /** One for each router. */
  public CommutingCommit(IntentNetwork network, IntentLedger ledger, Pause pause) {
    this.ledger = ledger;
    means =
        new CommutingEnding.Means(ledger, new IntentCompletion(network), pause, network::describe);
  }

  /** Commits. Afterwards no participant has the transaction open, unless its connection is lost. */
  public CommitOutcome commit(CommitRequest request, Intent intent) {
    LockHolders locks = new LockHolders(request.lockHolders(), means.pause());
    Votes votes = new Votes(request.lockHolders().size());
    locks.ask();
    locks.answer(votes);
    if (votes.refusal() != null) {
      request.writers().forEach(CommutingCommit::rollBack);
      request.readers().forEach(CommutingCommit::rollBack);
      locks.rollBack();
      return votes.refusal();
    }
    CommutingEnding ending = begin(request.session(), intent);
    for (Participant writer : request.writers()) {
      writer.send(CommitCommands.commitIntent(ending.id(), intent, writer));
    }
    request.readers().forEach(reader -> reader.send("COMMIT"));
    Round round = new Round();
    request.writers().forEach(writer -> round.take(writer.nodeId(), writer.await()));
    // What was only read there cannot make a difference any more.
    request.readers().forEach(Participant::await);
    request.writers().forEach(CommutingCommit::rollBack);
    round.tell(ending);
    return locks.end(ending.outcome());
  }

  /**
   * Does all of some transactions, their work included, in one message to each participant, which
   * runs it as one local transaction. Each has an intent and an ending of its own, so that what
   * keeps one from being completed does not keep the others.
   *
   * @param intents of the same nodes
   * @param fragments one for each of these nodes
   * @return for each of them, in this order; each is to be asked for its outcome, or left
   */
  public List<CommutingEnding> run(
      long session, List<Intent> intents, List<? extends CommutingFragment> fragments) {
    List<CommutingEnding> all = intents.stream().map(intent -> begin(session, intent)).toList();
    List<IntentId> ids = all.stream().map(CommutingEnding::id).toList();
    boolean answered = false;
    try {
      fragments.forEach(fragment -> fragment.send(ids, intents));
      Round round = new Round();
      fragments.forEach(fragment -> round.take(fragment.nodeId(), fragment.await()));
      all.forEach(round::tell);
      answered = true;
      return all;
    } finally {
      if (!answered) { // After a fault of the router: recovery finds out.
        all.forEach(CommutingEnding::leave);
      }
    }
  }

  private CommutingEnding begin(long session, Intent intent) {
    return new CommutingEnding(means, ledger.begin(session, intent), intent);
  }

  /** What the participants have answered. */
  private static final class Round {
    final Map<Integer, Answer> refusals = new LinkedHashMap<>();
    Integer committed;

    void take(int node, Answer answer) {
      if (answer instanceof Answer.Done done && done.tag().equals("COMMIT")) {
        committed = node;
      } else {
        refusals.put(node, answer);
      }
    }

    void tell(CommutingEnding ending) {
      ending.answered(committed, refusals);
    }
  }

  private static void rollBack(Participant participant) {
    if (participant.inTransaction()) {
      participant.send("ROLLBACK");
      participant.await();
    }
  }
}
