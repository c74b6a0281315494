/**
 * What the users at the terminals ask for: inputs of the five transactions (clauses 2.4.1, 2.5.1,
 * 2.6.1, 2.7.1, 2.8.1) and the mix of types (clause 5.2.4). No SQL lives here.
 */
package org.abelian.workloads.tpcc.input;
