/**
 * The microbenchmark of the Claret paper (section 6.1): short transactions of reads and commuting
 * operations on objects of skewed popularity, under row locks, at SERIALIZABLE, under abstract
 * locks, abstract locks with phases, and without transactions.
 *
 * <p>Which objects is data ({@link Objects}); a further type is one more constant there.
 */
package org.abelian.workloads.micro;
