/**
 * What published papers measured, measured side by side: each workload in plain and in Abelian
 * columns, on one PostgreSQL and on three nodes, with transactions and without, interleaved.
 *
 * <p>Which experiments there are is data ({@link org.abelian.workloads.evaluate.Catalogue}). Pages
 * and pictures are made from the result files in {@code report}.
 */
package org.abelian.workloads.evaluate;
