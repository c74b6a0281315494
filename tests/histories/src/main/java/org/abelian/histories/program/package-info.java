/**
 * What sessions are to do: transactions of statements over a few rows, as data that can be
 * generated from a seed, rendered as SQL, printed and evaluated by the checker.
 */
package org.abelian.histories.program;
