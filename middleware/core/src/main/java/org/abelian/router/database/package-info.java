/**
 * JDBC connections to one database, for the tools beside the router. Sessions of clients never use
 * them, and nothing here knows what a cluster is.
 */
package org.abelian.router.database;
