package org.abelian.workloads.types;

import java.util.List;

/**
 * Something that applications do.
 *
 * @param name on the command line
 * @param ways to write it, measured in turns
 * @param ratios what is compared
 */
record Idiom(String name, List<Way> ways, List<Ratio> ratios) {
  Idiom {
    ways = List.copyOf(ways);
    ratios = List.copyOf(ratios);
  }

  /**
   * How much more transactions one way does than another.
   *
   * @param over name of the one
   * @param under name of the other
   */
  record Ratio(String name, String over, String under) {}
}
