/**
 * Load whose result can be checked by sums alone, for runs too large for the checker of histories.
 */
package org.abelian.histories.load;
