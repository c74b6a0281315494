package org.abelian.router.session;

import java.util.List;
import org.abelian.router.analysis.ProcedureFacts;

/**
 * The call of a distributed procedure whose participants are known.
 *
 * @param statement the client's text
 * @param routed what is known about it
 * @param procedure what is called
 * @param participants the nodes that run it, those of the first key first; at least one
 * @param homes the node of each of its blind operations; empty when it is more than those
 */
record ProcedureCall(
    SharedStatement statement,
    RoutedStatement routed,
    ProcedureFacts procedure,
    List<Backend> participants,
    List<Integer> homes) {
  /** Copies the lists. */
  ProcedureCall {
    participants = List.copyOf(participants);
    homes = List.copyOf(homes);
  }

  /** True when one node does all of it. */
  boolean isSingle() {
    return participants.size() == 1;
  }
}
