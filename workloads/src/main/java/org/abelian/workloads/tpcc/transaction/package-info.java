/**
 * The five transaction profiles as SQL (clauses 2.4 to 2.8). They never commit: who runs them
 * decides when, writes the journal, and retries.
 */
package org.abelian.workloads.tpcc.transaction;
