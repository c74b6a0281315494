/**
 * Facts about a statement, as a node found them. Nothing here knows where rows lie or re-implements
 * PostgreSQL's grammar.
 */
package org.abelian.router.analysis;
