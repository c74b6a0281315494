package org.abelian.models.reads;

/**
 * A transaction over several nodes.
 *
 * @param nodes as bits
 * @param coordinated all prepare before the lowest one decides; else each node commits by itself
 * @param after the transaction whose row lock it waits for, on a node that both have; -1 for none
 */
public record Transaction(int nodes, boolean coordinated, int after) {
  int holder() {
    return Integer.numberOfTrailingZeros(nodes);
  }

  boolean isOn(int node) {
    return (nodes >> node & 1) != 0;
  }
}
