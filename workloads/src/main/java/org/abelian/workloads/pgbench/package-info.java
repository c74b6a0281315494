/**
 * pgbench as the load generator: a Java client would take more of the processors that the server
 * needs. What is measured with it stands in the packages of the benchmarks.
 */
package org.abelian.workloads.pgbench;
