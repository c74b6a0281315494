/** Creates, places and fills the tables (clause 4.3.3). No measured transaction lives here. */
package org.abelian.workloads.tpcc.load;
