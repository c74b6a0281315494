/**
 * Connections to nodes that speak messages rather than JDBC: opening and authenticating them, what
 * is prepared on each, lending them to sessions boundedly, and cancelling what runs on them. What
 * the messages mean to a client is not known here.
 */
package org.abelian.router.pool;
