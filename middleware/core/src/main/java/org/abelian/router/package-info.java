/**
 * The router as its faces (the JDBC driver, the server) use it: {@link org.abelian.router.Router},
 * and the sessions of clients, wired from their parts. Nothing else lives here.
 */
package org.abelian.router;
