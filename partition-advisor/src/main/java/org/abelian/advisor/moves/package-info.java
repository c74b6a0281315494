/**
 * A phase for clusters that have rows: which rows would have to move for an advised placement, and
 * what that costs. Nothing is executed.
 */
package org.abelian.advisor.moves;
