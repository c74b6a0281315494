/**
 * Calls of distributed procedures: who takes part, in which class a call commits, how calls of
 * several sessions share a transaction, what is learned from misrouted ones.
 */
package org.abelian.router.procedure;
