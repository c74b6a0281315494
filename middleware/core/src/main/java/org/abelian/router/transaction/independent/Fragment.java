package org.abelian.router.transaction.independent;

import java.util.ArrayList;
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

  /**
   * A call of an intent.
   *
   * @param number its place in the intent, from 0
   * @param signature of the procedure; empty when the intent does not say
   * @param text what is run
   */
  record Call(int number, String signature, String text) {}

  /** The statements before the calls; empty when the intent does not say where they begin. */
  String setUp() {
    return intent.substring(0, Math.max(0, intent.indexOf(CALL_MARK)));
  }

  /** The calls, one at least, in the order in which they are run. */
  List<Call> calls() {
    List<Call> calls = new ArrayList<>();
    int at = intent.indexOf(CALL_MARK);
    while (at >= 0) {
      int next = intent.indexOf(CALL_MARK, at + 1);
      String text = next < 0 ? intent.substring(at) : intent.substring(at, next);
      int end = text.indexOf('\n', CALL_MARK.length());
      String signature = end < 0 ? "" : text.substring(CALL_MARK.length(), end);
      calls.add(new Call(calls.size(), signature, text));
      at = next;
    }
    return calls.isEmpty() ? List.of(new Call(0, "", intent)) : calls;
  }

  /** True when its transaction is several calls. */
  boolean isShared() {
    return intent.indexOf(CALL_MARK) != intent.lastIndexOf(CALL_MARK);
  }

  /** The record of a node that cannot run it, or not all of its calls. */
  Fragment failed(String reason) {
    return new Fragment(id, at, participants, intent, role, reason);
  }
}
