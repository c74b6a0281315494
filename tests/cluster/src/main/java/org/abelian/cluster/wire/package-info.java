/**
 * A client that speaks PostgreSQL's protocol message by message, so that tests see exactly what a
 * server sends. It knows nothing of the router.
 */
package org.abelian.cluster.wire;
