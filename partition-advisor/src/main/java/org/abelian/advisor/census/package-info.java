/**
 * A phase for clusters that have rows: how many rows with which keys lie on which node. It only
 * reads, from each node itself.
 */
package org.abelian.advisor.census;
