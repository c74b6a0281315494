/**
 * Tests of whole clusters: clients over the wire, transactions over several nodes, nodes and
 * routers that are killed.
 */
package org.abelian.cluster;
