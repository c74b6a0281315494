/**
 * TPC-C after the specification, revision 5.11 (Transaction Processing Performance Council, 2010).
 * Clause numbers in the comments refer to it.
 *
 * <p>Rooms, arrows only downwards: {@code run} (terminals, measurement) → {@code transaction} (the
 * five profiles) and {@code journal} (what was acknowledged) → {@code input} (what a terminal's
 * user asks for) → {@code random}; {@code load} and {@code check} stand beside {@code run}; {@code
 * schema} is known to all.
 *
 * <p>Results are not audited TPC results and must not be published as such.
 */
package org.abelian.workloads.tpcc;
