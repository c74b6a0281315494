package org.abelian.parity;

import java.util.List;

/**
 * What the comparison of one file found.
 *
 * @param file the script's name
 * @param parts how many statements or permutations it has
 * @param differences those that differ
 */
record Judgement(String file, int parts, List<Difference> differences) {
  int differing() {
    return differences.size();
  }
}
