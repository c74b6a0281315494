/**
 * Analytical queries, each on a cluster and on one PostgreSQL: running, comparing and timing them.
 * What tables they are about is the suites' business, in packages below.
 */
package org.abelian.workloads.queries;
