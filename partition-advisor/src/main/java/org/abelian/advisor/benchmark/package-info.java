/**
 * {@code ./abelian bench advisor}: the advisor's phases on traces of five benchmarks, compared with
 * the placements of the literature. Each phase runs in a process of its own, as a user would run
 * it, so that its time and memory are its own.
 */
package org.abelian.advisor.benchmark;
