package org.abelian.router.procedure;

import java.util.List;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.execution.ResultMerge;
import org.abelian.router.execution.SumOfRows;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * The call of a distributed procedure whose participants are known.
 *
 * @param statement the client's text
 * @param routed what is known about it
 * @param procedure what is called
 * @param participants the nodes that run it, those of the first key first; at least one
 * @param homes the node of each of its blind operations; empty when it is more than those
 */
public record ProcedureCall(
    SharedStatement statement,
    RoutedStatement routed,
    ProcedureFacts procedure,
    List<Backend> participants,
    List<Integer> homes) {
  /** Copies the lists. */
  public ProcedureCall {
    participants = List.copyOf(participants);
    homes = List.copyOf(homes);
  }

  /**
   * Makes one result of those of its participants, as the procedure declares.
   *
   * @param formats the result formats of the Bind: none for text, one for all columns, or one each
   */
  public ResultMerge newMerge(int[] formats) {
    return switch (procedure.merge()) {
      case FIRST -> ResultMerge.first();
      case UNION -> ResultMerge.union();
      case SUM -> new SumOfRows(procedure.columns(), formats.clone());
    };
  }

  /** True when one node does all of it. */
  public boolean isSingle() {
    return participants.size() == 1;
  }
}
