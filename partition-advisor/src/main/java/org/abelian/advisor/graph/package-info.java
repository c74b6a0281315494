/**
 * The second phase: a trace becomes a graph whose cheapest cut is the best placement. Schism's
 * construction (Curino et al., VLDB 2010) with Turcu's weights, in SQL over the trace's files.
 */
package org.abelian.advisor.graph;
