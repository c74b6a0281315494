/**
 * Transactions over two rows of a distributed table, for benchmarks of commits: which rows, the
 * procedure that writes both, and the class that the router takes. What is written, and how it is
 * measured, belongs to the benchmarks.
 */
package org.abelian.workloads.pair;
