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
   */
  Cut cut(int parts, int seed, Path scratch);

  /**
   * A cut.
   *
   * @param seed that gave it
   * @param weight of the edges that it cuts
   * @param partOf the file with the part of each vertex, from 0, one a line
   */
  record Cut(int seed, long weight, Path partOf) {}
}
