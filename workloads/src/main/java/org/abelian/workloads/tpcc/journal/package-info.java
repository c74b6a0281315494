/**
 * What a run was told about its transactions, written down so that a later check can compare it
 * with the database: no acknowledged commit may be missing, no reported rollback may be there.
 */
package org.abelian.workloads.tpcc.journal;
