package org.abelian.router.transaction;

/**
 * One side of a wait, on the node that saw it.
 *
 * @param pid the backend; 0 for a prepared transaction
 * @param session its abelian.session; null for a connection that no router made
 * @param transactionStart microseconds since 1970 by the node's clock; tells a backend's
 *     transactions apart
 * @param query its statement; null for a prepared transaction
 * @param gid of a prepared transaction; null for a backend
 */
public record WaitingParty(
    int pid, String session, long transactionStart, String query, String gid) {}
