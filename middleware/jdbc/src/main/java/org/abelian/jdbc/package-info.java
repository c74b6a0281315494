/**
 * The JDBC driver {@code jdbc:abelian:}: the PostgreSQL driver over a router session in the same
 * process. Nothing that parses or routes SQL lives here.
 */
package org.abelian.jdbc;
