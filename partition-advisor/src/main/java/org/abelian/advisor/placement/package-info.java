/**
 * Placements as data: for each table where its rows lie, and what that means for the tuples of a
 * workload.
 */
package org.abelian.advisor.placement;
