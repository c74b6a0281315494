package org.abelian.harness;

import java.util.Arrays;
import java.util.List;

/**
 * The versions of PostgreSQL that the nodes of a cluster have, in turn: {@code
 * ABELIAN_NODE_VERSIONS}, such as {@code 15,18}; without it all have that of {@code scripts/node}.
 */
public final class NodeVersions {
  /** That of {@code scripts/node}. */
  static final String DEFAULT = "";

  private static final List<String> VERSIONS =
      Arrays.stream(System.getenv().getOrDefault("ABELIAN_NODE_VERSIONS", DEFAULT).split(","))
          .map(String::strip)
          .toList();

  private NodeVersions() {}

  /** The version of a cluster's node, of which the first is 0; also of a node without a cluster. */
  static String of(int node) {
    return VERSIONS.get(node % VERSIONS.size());
  }

  /** All that nodes may have; one that is empty stands for that of {@code scripts/node}. */
  public static List<String> all() {
    return VERSIONS;
  }
}
