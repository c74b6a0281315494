/**
 * Where nodes are and how to connect to them, in the forms that users of libpq know: conninfo
 * strings, URIs, service files and environment variables. Nothing is connected here.
 */
package org.abelian.server.conninfo;
