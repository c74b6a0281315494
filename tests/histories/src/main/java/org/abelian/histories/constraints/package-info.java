/**
 * Constraints beside operations: small random schemas and statements of one session, run over plain
 * columns and over Abelian ones, with the same outcome of every statement.
 */
package org.abelian.histories.constraints;
