/**
 * Errors that the router raises itself. Errors of nodes pass through as the nodes wrote them and
 * never appear here. This is the lowest room: it depends on nothing, and no I/O or wire format
 * lives here.
 */
package org.abelian.router.error;
