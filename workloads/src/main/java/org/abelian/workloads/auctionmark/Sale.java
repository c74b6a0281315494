package org.abelian.workloads.auctionmark;

/**
 * An auction that somebody has won.
 *
 * @param bid number of the highest bid
 * @param price its amount
 */
record Sale(Item item, long buyer, long bid, long price) {}
