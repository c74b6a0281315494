package org.abelian.router.session;

import java.util.Comparator;
import java.util.List;
import org.abelian.router.pool.NodePool;

/**
 * What calls have in common that can share a transaction: the contended row, if it matters, the
 * nodes, and everything about their sessions that a node knows of.
 *
 * @param object null where any rows will do
 * @param scope equal for sessions whose settings are equal
 * @param connections the pools that the sessions would use: of one node, role and database each
 */
record CallGroup(Object object, String scope, List<NodePool> connections) {
  /** Of independent transactions: a lane runs one after the other, whatever their rows are. */
  static CallGroup ofLanes(String scope, List<Link> participants) {
    return of(null, scope, participants);
  }

  /** Of calls that name a contended row. */
  static CallGroup of(Object object, String scope, List<Link> participants) {
    List<NodePool> connections =
        participants.stream()
            .sorted(Comparator.comparingInt(link -> link.nodeId))
            .map(link -> link.pool)
            .toList();
    return new CallGroup(object, scope, connections);
  }
}
