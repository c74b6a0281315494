/** Terminals that execute the mix and measure it. No SQL lives here. */
package org.abelian.workloads.tpcc.run;
