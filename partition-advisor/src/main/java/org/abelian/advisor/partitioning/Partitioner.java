package org.abelian.advisor.partitioning;

import java.nio.file.Path;

/** Cuts a graph into parts of about equal weight. */
@FunctionalInterface
interface Partitioner {
  /**
   * Cuts once.
   *
   * @param seed the same seed gives the same cut
   * @param scratch a folder for files meanwhile
   * @return the part of each vertex, from 0
   */
  int[] cut(int parts, int seed, Path scratch);
}
