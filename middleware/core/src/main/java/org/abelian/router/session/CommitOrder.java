package org.abelian.router.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.abelian.router.backend.Backend;
import org.abelian.router.transaction.CommitRequest;
import org.abelian.router.transaction.Participant;

/**
 * In which order the nodes of a transaction commit: where it has locked first, it lets go last. So
 * who waits for a row that all lock first, or for an advisory lock, finds on the other nodes what
 * the transaction has done there. Of nodes that one statement has locked, the first of the cluster
 * comes last: reference tables' rows are locked there.
 */
final class CommitOrder {
  /** What cannot be prepared decides; then comes what was locked last. */
  private final Comparator<Backend> release =
      Comparator.comparing((Backend backend) -> -reluctance(backend))
          .thenComparing(backend -> !backend.wrote)
          .thenComparing(CommitOrder::locked, Comparator.reverseOrder())
          .thenComparing(backend -> backend.lockedLastBy, Comparator.reverseOrder())
          .thenComparing(one -> reluctance(one) > 0 ? one.nodeId : -one.nodeId);

  private final boolean temporary;
  private final List<Backend> writers = new ArrayList<>();
  private final List<Backend> readers = new ArrayList<>();
  private final List<Backend> lockHolders = new ArrayList<>();

  /**
   * No node as yet.
   *
   * @param temporary whether the session has temporary objects
   */
  CommitOrder(boolean temporary) {
    this.temporary = temporary;
  }

  /**
   * A node of the transaction.
   *
   * @param votes whether it is one of those that commit together
   */
  void add(Backend backend, boolean votes) {
    if (votes || backend.notifies) {
      writers.add(backend);
    } else {
      // A COMMIT that may fail comes first.
      (backend.holdsLocks && !backend.runsAtCommit ? lockHolders : readers).add(backend);
    }
  }

  /** Those that commit together, the holder first. */
  List<Backend> writers() {
    writers.sort(release);
    return writers;
  }

  /**
   * Asks for the commit.
   *
   * @param participant what takes part in it for a node
   */
  CommitRequest request(
      long session,
      String token,
      boolean serializable,
      Function<Backend, ? extends Participant> participant) {
    if (writers.isEmpty()) { // Nothing is to be seen.
      readers.addAll(lockHolders);
      lockHolders.clear();
    }
    List<Participant> voting = new ArrayList<>();
    List<Participant> last = new ArrayList<>();
    for (Backend backend : writers()) {
      Participant one = participant.apply(backend);
      voting.add(one);
      if (voting.size() > 1 && isLast(backend)) {
        last.add(one);
      }
    }
    return new CommitRequest(
        session,
        token,
        voting,
        last,
        readers.stream().<Participant>map(participant).toList(),
        lockHolders.stream().<Participant>map(participant).toList(),
        serializable);
  }

  /** Where it only locks, and where no other writer was locked before, or by the same statement. */
  private boolean isLast(Backend backend) {
    return backend.lockedBy != 0
        && (!backend.wrote
            || writers.stream()
                .allMatch(other -> other == backend || isLockedLater(other, backend)));
  }

  /**
   * How likely it is that the node cannot be prepared. Whatever is done where there are temporary
   * objects may touch them unseen: on a node that has told of some, and perhaps on the session's
   * own ones, which it keeps for other reasons as well. What else speaks for it may concern every
   * node alike.
   */
  private int reluctance(Backend backend) {
    if (backend.connection != null && backend.connection.temporaryObjects() != null) {
      return 3;
    } else if (temporary && backend.isOwn()) {
      return 2;
    }
    return backend.unpreparable || backend.notifies ? 1 : 0;
  }

  private static boolean isLockedLater(Backend one, Backend than) {
    return locked(one) > than.lockedBy;
  }

  /** When; never where it has only inserted rows, which nobody waits for. */
  private static int locked(Backend backend) {
    return backend.lockedBy == 0 ? Integer.MAX_VALUE : backend.lockedBy;
  }
}
