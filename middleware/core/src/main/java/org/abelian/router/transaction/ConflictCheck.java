package org.abelian.router.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;

/**
 * What a SERIALIZABLE transaction over several nodes does before its vote: each node tells which
 * rw-conflicts the transaction has there. With a conflict in on one node and a conflict out on
 * another it may be the pivot of a dangerous structure that no node sees, and is rolled back
 * (docs/protocols/serializable.md; after Cahill, Röhm and Fekete, Serializable Isolation for
 * Snapshot Databases, 2008).
 */
final class ConflictCheck {
  private static final ConflictCheck NOT_NEEDED = new ConflictCheck(null, new HashMap<>(), null);

  /** The tag of a query that gives one row. */
  private static final String ONE_ROW = "SELECT 1";

  /** A node waits for 10 s for others that commit. */
  private static final Duration HOLD_LIMIT = Duration.ofSeconds(15);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Gid gid;
  private final Map<Participant, ConflictSet> found;
  private final CommitOutcome refusal;

  private ConflictCheck(Gid gid, Map<Participant, ConflictSet> found, CommitOutcome refusal) {
    this.gid = gid;
    this.found = found;
    this.refusal = refusal;
  }

  /** For a transaction at another level. */
  static ConflictCheck notNeeded() {
    return NOT_NEEDED;
  }

  /**
   * First all nodes do what the transaction has deferred, which may wait for anybody. Then it asks
   * the nodes one after the other, in the order of their numbers: such transactions wait for each
   * other there, and so never in a circle. Ends at the first that refuses.
   */
  static ConflictCheck of(Gid gid, List<Participant> participants) {
    Votes votes = new Votes(participants.size());
    Map<Participant, ConflictSet> found = new HashMap<>();
    participants.forEach(participant -> participant.send(CommitCommands.FINISH_DEFERRED));
    participants.forEach(participant -> votes.take(participant, participant.await(), ONE_ROW));
    if (votes.refusal() != null) {
      return new ConflictCheck(gid, found, votes.refusal());
    }
    List<Participant> ordered = new ArrayList<>(participants);
    ordered.sort(Comparator.comparingInt(Participant::nodeId));
    for (Participant participant : ordered) {
      participant.send(CommitCommands.holdConflicts(gid, participant));
      Answer answer = participant.await(HOLD_LIMIT);
      if (answer instanceof Answer.Failed failed && failed.sqlState().equals(LOCK_NOT_AVAILABLE)) {
        return new ConflictCheck(gid, found, kept());
      }
      votes.take(participant, answer, ONE_ROW);
      if (votes.refusal() != null) {
        break;
      }
      found.put(participant, ConflictSet.of(((Answer.Done) answer).value()));
    }
    return new ConflictCheck(gid, found, votes.refusal());
  }

  /** Why the transaction must be rolled back; null when it may go on. */
  CommitOutcome refusal() {
    if (refusal != null) {
      return refusal;
    }
    return found.keySet().stream().anyMatch(this::hasOutElsewhere) ? pivot() : null;
  }

  private boolean hasOutElsewhere(Participant one) {
    return found.get(one).in()
        && found.entrySet().stream()
            .anyMatch(other -> other.getKey() != one && other.getValue().out());
  }

  private static CommitOutcome pivot() {
    return failure(
        "could not serialize access due to read/write dependencies among transactions",
        "Reason code: Canceled on identification as a pivot over several nodes.");
  }

  private static CommitOutcome kept() {
    return failure("others that commit over several nodes kept this transaction waiting", null);
  }

  private static CommitOutcome failure(String message, String detail) {
    return new CommitOutcome.RolledBack(
        new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            message,
            detail,
            "The transaction might succeed if retried.",
            null));
  }

  /**
   * The statement, and before it what the node is to assume until the transaction has ended. With
   * no conflict out on any node, none may come now: it would be the first half of a pivot. With
   * one, no conflict in may come.
   */
  String settled(Participant participant, String statement) {
    ConflictSet here = found.get(participant);
    if (here == null) {
      return statement;
    }
    boolean out = found.values().stream().anyMatch(ConflictSet::out);
    ConflictSet kept = new ConflictSet(!here.out(), out);
    return CommitCommands.settleConflicts(gid, kept, participant) + "; " + statement;
  }
}
