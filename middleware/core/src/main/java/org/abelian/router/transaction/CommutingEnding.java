package org.abelian.router.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * What a commuting transaction has come to after its round. Where the participants' answers do not
 * tell, whoever waits for it finds out and completes it; each of several that shared a round does
 * that for itself, so that none waits for what keeps another. Used by one thread.
 */
public final class CommutingEnding {
  private static final int TRIES = 3;
  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);

  /** So often a try may end with a lock that others have: for 10 s or more. */
  private static final int LOCKED_TRIES = 30;

  private static final String BARRED = "intent_pkey";
  private static final String CLOSED = "40001";

  /**
   * What endings use of their router.
   *
   * @param ledger which transactions are not over
   * @param completion does what participants lack
   * @param pause between attempts
   * @param describe names a node for people
   */
  record Means(
      IntentLedger ledger,
      IntentCompletion completion,
      Pause pause,
      IntFunction<String> describe) {}

  private final Means means;
  private final Gid gid;
  private final Intent intent;

  /** What the participants said that are not known to have committed. */
  private Map<Integer, Answer> refusals = Map.of();

  /** A participant that has committed; null when none is known. */
  private Integer source;

  /** The nodes that may lack their part, when it is known to be committed. */
  private List<Integer> missing;

  /** Whether others' locks were all that the last try met. */
  private boolean locked;

  /** Null as long as nobody knows. */
  private CommitOutcome outcome;

  CommutingEnding(Means means, Gid gid, Intent intent) {
    this.means = means;
    this.gid = gid;
    this.intent = intent;
  }

  IntentId id() {
    return IntentId.of(gid);
  }

  /**
   * The participants have answered.
   *
   * @param committed one that has committed, or null
   * @param others what those said that are not known to have
   */
  void answered(Integer committed, Map<Integer, Answer> others) {
    source = committed;
    refusals = others;
    if (others.isEmpty()) {
      over(new CommitOutcome.Committed(List.of()));
    } else if (committed != null) {
      missing = List.copyOf(others.keySet());
    } else if (others.values().stream().noneMatch(CommutingEnding::isDoubtful)) {
      over(refusal());
    }
  }

  /** Whether the participants' answers tell the outcome. */
  public boolean isKnown() {
    return outcome != null;
  }

  /** The participants that are not known to have committed by their answers. */
  public Set<Integer> refusing() {
    return refusals.keySet();
  }

  /** The outcome. Completes or settles the transaction, or leaves that to recovery, if need be. */
  public CommitOutcome outcome() {
    try {
      findOut();
    } finally {
      leave(); // Also after a fault of the router: else its horizon would stand still.
    }
    return outcome;
  }

  private void findOut() {
    int failures = 0;
    for (int attempt = 0;
        attempt < LOCKED_TRIES && failures < TRIES && outcome == null;
        attempt++) {
      if (attempt > 0) {
        means.pause().pause(RETRY_PAUSE);
      }
      locked = false;
      if (source == null) {
        settle();
      }
      if (source != null) {
        complete();
      }
      failures += locked ? 0 : 1;
    }
  }

  /** Leaves what is not known yet to recovery. */
  public void leave() {
    if (outcome == null) {
      boolean committed = source != null;
      means.ledger().leave(gid, !committed);
      outcome = committed ? committed() : unknown();
    }
  }

  private void over(CommitOutcome end) {
    means.ledger().over(gid);
    outcome = end;
  }

  /** It has committed somewhere: what is missing is done from there. */
  private void complete() {
    IntentCompletion.Remainder left = means.completion().complete(id(), intent.nodes(), source);
    missing = left.nodes();
    locked = left.locked();
    if (left.isNothing()) {
      over(new CommitOutcome.Committed(List.of()));
    }
  }

  /** No node is known to have committed: makes sure that none has, or will, unless one did. */
  private void settle() {
    IntentCompletion.Standing standing = means.completion().settle(id(), intent.nodes());
    if (standing.committed().isPresent()) {
      source = standing.committed().get();
      missing = IntentCompletion.others(intent.nodes(), source);
    } else if (standing.barred()) {
      over(refusal());
    } else if (standing.over()) {
      over(unknown());
    }
  }

  private CommitOutcome committed() {
    return new CommitOutcome.Committed(
        missing.stream()
            .map(
                node ->
                    "the transaction is committed, but "
                        + means.describe().apply(node)
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

  private CommitOutcome refusal() {
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

  private CommitOutcome unknown() {
    return new CommitOutcome.Unknown(
        new AbelianException(
            SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
            "whether the transaction is committed is not known: its nodes were lost during COMMIT",
            "The transaction's token is " + gid + ".",
            "Ask later: SELECT abelian.transaction_outcome('" + gid + "')",
            null));
  }
}
