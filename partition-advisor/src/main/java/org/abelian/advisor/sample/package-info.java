/**
 * Small generators of traces whose best placement is known, for tests, figures and trying the
 * advisor out. What they draw follows the benchmarks' rules of access; no database is needed.
 */
package org.abelian.advisor.sample;
