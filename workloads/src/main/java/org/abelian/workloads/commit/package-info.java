/**
 * What commit classes cost over several nodes: the same two additions, on one node or on two, with
 * different ways of committing them.
 */
package org.abelian.workloads.commit;
