/**
 * TPC-H: its tables, their placement, and rows after the distributions of the specification. The
 * queries are among the resources.
 */
package org.abelian.workloads.queries.tpch;
