/**
 * EXPLAIN of what the router does more than pass on: its own part in words, then PostgreSQL's plan
 * from one node, or with ANALYZE from each.
 */
package org.abelian.router.explain;
