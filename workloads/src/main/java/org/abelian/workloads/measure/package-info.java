/**
 * How every benchmark measures and reports: variants interleaved over rounds, medians, tables,
 * JSON.
 *
 * <p>Machines drift: two figures may be compared only when they come from the same run. No database
 * is spoken to from here.
 */
package org.abelian.workloads.measure;
