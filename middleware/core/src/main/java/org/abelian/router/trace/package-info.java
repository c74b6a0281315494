/**
 * What transactions do, written to files for the partition advisor. A session hands over a
 * transaction when it has ended; a thread of its own writes it, or drops and counts it. Nothing
 * here may delay or fail a statement, and nothing here decides where one goes.
 */
package org.abelian.router.trace;
