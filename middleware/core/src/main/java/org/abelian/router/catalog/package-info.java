/**
 * What the router knows about the cluster: nodes, placed tables, partitions and the version of it
 * all. Snapshots are immutable; the truth is on the nodes. No statement is looked at here, and
 * nothing here writes to a node.
 */
package org.abelian.router.catalog;
