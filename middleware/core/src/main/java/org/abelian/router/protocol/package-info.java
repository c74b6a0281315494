/**
 * PostgreSQL's wire protocol, version 3: buffers, frames of both directions, the fields of errors,
 * SCRAM-SHA-256 as arithmetic. No sockets, no threads and no knowledge of nodes or sessions lives
 * here.
 */
package org.abelian.router.protocol;
