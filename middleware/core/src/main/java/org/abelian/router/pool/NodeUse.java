package org.abelian.router.pool;

/**
 * What a router's connections to a node do at a moment.
 *
 * @param open how many there are, or are being opened
 * @param lent how many of them somebody uses
 * @param waiting how many sessions wait for one
 */
public record NodeUse(NodeAddress address, int open, int lent, int waiting) {}
