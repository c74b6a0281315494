package org.abelian.router.transaction.independent;

import java.util.Optional;
import org.abelian.router.transaction.NodeUnreachableException;

/**
 * Runs a fragment on a node that has to: without those of its calls that fail, one more each time,
 * and with a record that says which they were. All others take effect.
 */
final class WithoutFailed {
  private WithoutFailed() {}

  /** A way to claim the fragment's place and run it. */
  @FunctionalInterface
  interface Execution {
    /** Gives the record's text when one more call has failed, so that nothing is done. */
    Optional<String> run(Fragment fragment) throws NodeUnreachableException;
  }

  /**
   * Runs it.
   *
   * @param fragment without failures
   * @return what failed; null when nothing has
   */
  static String run(Fragment fragment, Execution execution) throws NodeUnreachableException {
    Fragment attempt = fragment;
    for (int left = fragment.calls().size(); left >= 0; left--) {
      Optional<String> failure = execution.run(attempt);
      if (failure.isEmpty()) {
        break;
      }
      attempt = attempt.failed(failure.get());
    }
    return attempt.failure();
  }
}
