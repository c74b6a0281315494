/**
 * TLS as PostgreSQL and libpq know it: modes and settings by their names, keys, certificates and
 * revocation lists from files that may change while the process runs, and whom to trust. The
 * cryptography is the JDK's. No sockets and no messages of PostgreSQL live here.
 */
package org.abelian.router.tls;
