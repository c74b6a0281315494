/**
 * Makes a trace from what a PostgreSQL server logs. What a statement touches is the answer of the
 * extension's own analysis; which rows, that of the values its WHERE clauses compare keys with.
 */
package org.abelian.advisor.trace.log;
