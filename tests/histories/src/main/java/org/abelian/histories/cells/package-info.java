/**
 * Transactions at SERIALIZABLE over cells on several nodes: each cell is a list to which
 * transactions append, and what they have seen of the lists tells their order.
 */
package org.abelian.histories.cells;
