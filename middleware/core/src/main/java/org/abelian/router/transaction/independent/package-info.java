/**
 * Independent transactions: the router's part in proposing, executing, settling and catching up.
 * The algorithm and the argument for its safety are in docs/protocols/independent.md. Nothing here
 * reads a client's messages or decides which procedures are independent.
 */
package org.abelian.router.transaction.independent;
