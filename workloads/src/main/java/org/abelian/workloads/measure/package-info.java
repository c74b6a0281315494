/**
 * How every benchmark measures and reports: variants interleaved over rounds, medians, tables,
 * JSON.
 *
 * <p>Machines drift: two figures may be compared only when they come from the same run. No
 * statement is sent from here; of databases, a crew only knows the pool that it makes and closes.
 */
package org.abelian.workloads.measure;
