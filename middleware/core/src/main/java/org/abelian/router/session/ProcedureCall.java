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
 */
record ProcedureCall(
    SharedStatement statement,
    RoutedStatement routed,
    ProcedureFacts procedure,
    List<Link> participants) {
  /** Copies the list. */
  ProcedureCall {
    participants = List.copyOf(participants);
  }

  /** True when one node does all of it. */
  boolean isSingle() {
    return participants.size() == 1;
  }
}
