package org.abelian.models.reads;

/**
 * A transaction over several nodes; or of one, which passes no gate and of which nobody is told.
 *
 * @param nodes as bits
 * @param coordinated all prepare before the lowest one decides; else each node commits by itself
 * @param after the transaction whose row lock it waits for, on a node that both have; -1 for none
 */
public record Transaction(int nodes, boolean coordinated, int after) {
  int holder() {
    return Integer.numberOfTrailingZeros(nodes);
  }

  boolean isOfOneNode() {
    return Integer.bitCount(nodes) == 1;
  }

  boolean isOn(int node) {
    return (nodes >> node & 1) != 0;
  }
}
