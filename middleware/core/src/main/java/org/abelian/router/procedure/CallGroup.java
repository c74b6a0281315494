package org.abelian.router.procedure;

import java.util.Comparator;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.pool.NodePool;

/**
 * What calls have in common that can share a transaction: the nodes, everything about their
 * sessions that a node knows of, and the rows at which they may have to wait.
 *
 * @param rows none where any rows will do
 * @param scope equal for sessions whose settings are equal
 * @param connections the pools that the sessions would use: of one node, role and database each
 */
public record CallGroup(List<CallObject> rows, String scope, List<NodePool> connections) {
  /** Of calls that name any rows. */
  public static CallGroup of(String scope, List<Backend> participants) {
    return of(List.of(), scope, participants);
  }

  /** Of calls that name rows at which others wait, and no other such row. */
  public static CallGroup of(List<CallObject> rows, String scope, List<Backend> participants) {
    List<NodePool> connections =
        participants.stream()
            .sorted(Comparator.comparingInt(backend -> backend.nodeId))
            .map(backend -> backend.pool)
            .toList();
    return new CallGroup(rows, scope, connections);
  }
}
