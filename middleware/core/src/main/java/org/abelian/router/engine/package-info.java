/**
 * The executor: one class for each way in which nodes run a statement (one node, scatter, gather,
 * writes on several nodes, broadcast, COPY). Each can be tested with fake nodes. Decides nothing
 * about where a statement goes, and knows nothing of how clients frame their messages.
 */
package org.abelian.router.engine;
