/**
 * The router: what stands between clients and the nodes. Its rooms, from the faces down to the
 * wire: session, routing and transaction, execution, analysis and catalog and pool, protocol. A
 * room uses only rooms below it.
 */
package org.abelian.router;
