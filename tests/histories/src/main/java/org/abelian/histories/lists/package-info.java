/**
 * Histories over several nodes: clients append numbers of their own to lists, in transactions of
 * every commit class, and read them. The lists that were read show the order of the transactions,
 * as in Elle (Kingsbury and Alvaro, VLDB 2020). docs/protocols/README.md says which of these
 * histories are promised; the package {@code order} decides. Only what clients see counts.
 */
package org.abelian.histories.lists;
