package org.abelian.models.reads;

import java.util.List;

/**
 * What is explored.
 *
 * @param nodes how many there are
 * @param transactions what is committed
 * @param read the nodes that are read, as bits
 * @param readers how many sessions of one router read, one round after the other
 * @param rounds how many rounds all of them have together
 */
public record World(int nodes, List<Transaction> transactions, int read, int readers, int rounds) {
  boolean reads(int node) {
    return (read >> node & 1) != 0;
  }
}
