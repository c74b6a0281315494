/**
 * Load on stocks that must stay between bounds, with a journal against which they are checked, and
 * a model of what escrow must admit. Only what clients see counts.
 */
package org.abelian.histories.escrow;
