/**
 * CH-benCHmark: the tables that it adds to those of TPC-C, and a past of orders for its queries to
 * find. The queries are among the resources.
 */
package org.abelian.workloads.queries.ch;
