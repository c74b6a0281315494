/**
 * Facts about a statement, as a node found them, and the cache that holds them. Nothing here knows
 * where rows lie or re-implements PostgreSQL's grammar.
 */
package org.abelian.router.analysis;
