/**
 * The third phase: a graph is cut into partitions by METIS, several times from different seeds, and
 * the cut with the fewest distributed transactions is kept.
 */
package org.abelian.advisor.partitioning;
