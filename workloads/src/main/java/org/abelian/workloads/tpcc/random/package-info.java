/** Random values and distributions of TPC-C (clauses 2.1.5, 2.1.6, 4.3.2). No SQL lives here. */
package org.abelian.workloads.tpcc.random;
