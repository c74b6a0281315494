package org.abelian.server.backup;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether snapshots of the nodes have each commuting transaction wholly or not at all
 * (docs/protocols/commuting.md). Its participants commit it one by one, each with a row that names
 * all of them; the row goes when a horizon says that it is over everywhere.
 */
final class CommutingCheck {
  /** A transaction. */
  record Id(String router, long number) {}

  /**
   * What one node's snapshot has.
   *
   * @param committed participants of what has committed there
   * @param horizons of each router: smaller numbers are over on all nodes
   */
  record Seen(int node, Map<Id, List<Integer>> committed, Map<String, Long> horizons) {
    private boolean has(Id transaction) {
      return committed.containsKey(transaction)
          || transaction.number() < horizons.getOrDefault(transaction.router(), 0L);
    }
  }

  private CommutingCheck() {}

  /** What is on one node and not on another, in words; empty when all is whole. */
  static Optional<String> torn(List<Seen> nodes) {
    Map<Integer, Seen> byNode = nodes.stream().collect(Collectors.toMap(Seen::node, each -> each));
    for (Seen seen : nodes) {
      for (Map.Entry<Id, List<Integer>> each : seen.committed().entrySet()) {
        Set<Integer> lacking =
            each.getValue().stream()
                .filter(node -> byNode.containsKey(node) && !byNode.get(node).has(each.getKey()))
                .collect(Collectors.toSet());
        if (!lacking.isEmpty()) {
          return Optional.of(
              "commuting transaction "
                  + each.getKey().number()
                  + " of router "
                  + each.getKey().router()
                  + " is committed on node "
                  + seen.node()
                  + " and not yet on "
                  + lacking);
        }
      }
    }
    return Optional.empty();
  }
}
