/**
 * The fourth phase: few rules that say what the partitioning says row by row, and placements of
 * simpler kinds to compare them with.
 */
package org.abelian.advisor.explanation;
