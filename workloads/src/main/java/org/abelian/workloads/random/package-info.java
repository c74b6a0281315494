/**
 * Distributions that several workloads draw from. They take a uniform fraction, so that each
 * workload keeps its own seeded source. What only one benchmark draws stays with it.
 */
package org.abelian.workloads.random;
