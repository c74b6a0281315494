/**
 * Tables, column types, placement and size of a TPC-C database. Nothing here draws random values.
 */
package org.abelian.workloads.tpcc.schema;
