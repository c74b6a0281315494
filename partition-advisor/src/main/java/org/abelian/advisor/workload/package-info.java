/**
 * A part of a trace in memory, as small numbers: what the phases that try out placements walk over.
 * How transactions are divided into those that advice is made from and those that judge it.
 */
package org.abelian.advisor.workload;
