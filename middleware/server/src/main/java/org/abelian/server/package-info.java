/**
 * The router as a server that speaks PostgreSQL's wire protocol: sockets, authentication of clients
 * and the command line. Nothing that parses or routes SQL lives here.
 */
package org.abelian.server;
