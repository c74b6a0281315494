/**
 * Tables placed by every method: the router's placement function against the nodes', where rows
 * really lie, and what statements give compared with one PostgreSQL.
 */
package org.abelian.cluster.placement;
