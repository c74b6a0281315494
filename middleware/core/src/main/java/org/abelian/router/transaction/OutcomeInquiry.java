package org.abelian.router.transaction;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Finds out later what became of a transaction whose COMMIT was lost. One node knows: the holder
 * that a gid names, or the node that gave another token. While that node cannot be asked, or
 * recovery has not yet decided, the inquiry waits boundedly. It never decides anything itself: an
 * abort that is written after the decision was forgotten would contradict it.
 */
public final class OutcomeInquiry {
  /** No new round begins later than this after the first. */
  static final Duration LIMIT = Duration.ofSeconds(8);

  private static final Duration ROUND_PAUSE = Duration.ofMillis(250);

  /** {@code <server run>:<transaction id>}. */
  private static final Pattern OF_ONE_NODE = Pattern.compile("\\d+(?:-[0-9a-f]+)?:\\d+");

  private final ControlNetwork network;
  private final Predicate<Gid> unsettled;
  private final Pause pause;

  /**
   * One for each router.
   *
   * @param unsettled tells of which transactions this router itself knows that they are still to be
   *     decided
   */
  public OutcomeInquiry(ControlNetwork network, Predicate<Gid> unsettled, Pause pause) {
    this.network = network;
    this.unsettled = unsettled;
    this.pause = pause;
  }

  /**
   * The node that can say more about the transaction than that it is unknown; empty when none could
   * within the limit, or when that is no token.
   */
  public OptionalInt whoKnows(String token) {
    Optional<Gid> gid = Gid.parse(token);
    if (gid.isEmpty() && !OF_ONE_NODE.matcher(token).matches()) {
      return OptionalInt.empty();
    }
    Deadline deadline = Deadline.in(LIMIT, pause);
    while (true) {
      boolean allAnswered = true;
      for (int node : candidates(gid)) {
        try {
          if (network.outcome(node, token) != TransactionStatus.UNKNOWN) {
            return OptionalInt.of(node);
          }
        } catch (NodeUnreachableException unreachable) {
          allAnswered = false;
        }
      }
      boolean settled = allAnswered && (gid.isEmpty() || !mayBeDecided(gid.get()));
      if (settled || deadline.isOver()) {
        return OptionalInt.empty();
      }
      pause.pause(ROUND_PAUSE);
    }
  }

  private List<Integer> candidates(Optional<Gid> gid) {
    return gid.isEmpty()
        ? network.nodes()
        : network.nodes().stream().filter(node -> node == gid.get().holder()).toList();
  }

  /** What is prepared somewhere will be decided by recovery, as what this router has left to it. */
  private boolean mayBeDecided(Gid gid) {
    if (unsettled.test(gid)) {
      return true;
    }
    for (int node : network.nodes()) {
      try {
        if (!network.stillPrepared(node, List.of(gid)).isEmpty()) {
          return true;
        }
      } catch (NodeUnreachableException unreachable) {
        return true;
      }
    }
    return false;
  }
}
