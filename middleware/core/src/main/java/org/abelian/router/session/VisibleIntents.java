package org.abelian.router.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which commuting transactions a read over several nodes would see on each of them. Not
 * thread-safe.
 */
public final class VisibleIntents {
  private final Set<Integer> nodes;
  private final Map<String, Set<Integer>> seen = new HashMap<>();
  private final Map<String, List<Integer>> participants = new HashMap<>();

  /**
   * @param nodes those that are read
   */
  public VisibleIntents(List<Integer> nodes) {
    this.nodes = Set.copyOf(nodes);
  }

  /**
   * What has committed on a node.
   *
   * @param intents {@code router/number/node,node...} of each, spaces between
   */
  public void add(int node, String intents) {
    for (String intent : intents.split(" ")) {
      int end = intent.lastIndexOf('/');
      String id = intent.substring(0, end);
      seen.computeIfAbsent(id, any -> new HashSet<>()).add(node);
      participants.computeIfAbsent(id, any -> read(intent.substring(end + 1)));
    }
  }

  private static List<Integer> read(String list) {
    List<Integer> read = new ArrayList<>();
    for (String number : list.split(",")) {
      read.add(Integer.valueOf(number));
    }
    return read;
  }

  /** True when each is committed on all of its participants that are read. */
  public boolean areWhole() {
    return participants.entrySet().stream()
        .allMatch(
            entry ->
                entry.getValue().stream()
                    .filter(nodes::contains)
                    .allMatch(seen.get(entry.getKey())::contains));
  }
}
