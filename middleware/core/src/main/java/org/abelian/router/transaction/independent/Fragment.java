package org.abelian.router.transaction.independent;

import java.util.List;

/**
 * The record of an executed fragment.
 *
 * @param id the transaction
 * @param at its timestamp
 * @param participants the ids of its nodes
 * @param intent the statements that each participant runs
 * @param role who runs them
 * @param failure why the node that keeps the record could not run them; null when it has
 */
public record Fragment(
    String id, long at, List<Integer> participants, String intent, String role, String failure) {
  /**
   * Stands in an intent between the statements that only make settings and the call, followed by
   * the procedure's signature and the end of the line: a comment.
   */
  public static final String CALL_MARK = "\n--abelian procedure ";

  /** Copies the list. */
  public Fragment {
    participants = List.copyOf(participants);
  }

  /** The statements before the call; empty when the intent does not say where it begins. */
  String setUp() {
    return intent.substring(0, Math.max(0, intent.indexOf(CALL_MARK)));
  }

  /** The call. */
  String call() {
    return intent.substring(setUp().length());
  }

  /** The record of a node that cannot run it. */
  Fragment failed(String reason) {
    return new Fragment(id, at, participants, intent, role, reason);
  }
}
