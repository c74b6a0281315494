/**
 * Transactions over several nodes: the coordinated commit, its recovery, the outcome of a lost
 * commit, and deadlocks across nodes. The algorithm and the argument for its safety are in
 * docs/protocols/coordinated.md. Nothing here reads a client's messages or decides where a
 * statement goes.
 */
package org.abelian.router.transaction;
