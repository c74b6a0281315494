/**
 * Load on counters that have indexes, and readers who compare what a query gives by these indexes
 * with what it gives without, under one snapshot. Nothing here knows which plan is which but by the
 * text of the query.
 */
package org.abelian.histories.ranked;
