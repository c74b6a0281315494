/**
 * One client's dialogue: what it has set, prepared, opened and begun, over as many nodes as that
 * needs. A session has no thread: whoever wants its answers runs it. Where a statement goes is
 * decided by routing, how several nodes commit by transaction; sockets of clients belong to the
 * faces, jdbc and server.
 */
package org.abelian.router.session;
