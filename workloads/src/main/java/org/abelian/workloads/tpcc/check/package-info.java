/**
 * The consistency conditions of clause 3.3.2, and conditions of our own where columns are counters.
 *
 * <p>{@code FactsReader} reads one warehouse at a time by statements that name one warehouse, so
 * that a router sends each to one node; the conditions are arithmetic over what was read. The
 * database must be at rest, since the statements do not share a snapshot.
 */
package org.abelian.workloads.tpcc.check;
