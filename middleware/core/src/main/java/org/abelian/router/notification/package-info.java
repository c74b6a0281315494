/**
 * LISTEN for the sessions of a router: one connection to each node that listens to whatever a
 * session listens to, while any does, and hands what comes to the sessions' mailboxes. Nothing is
 * known here about transactions, nor about how a client is told.
 */
package org.abelian.router.notification;
