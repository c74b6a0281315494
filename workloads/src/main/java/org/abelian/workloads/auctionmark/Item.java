package org.abelian.workloads.auctionmark;

/**
 * An item that is or was offered.
 *
 * @param seller a part of its key
 */
record Item(long seller, long id) {}
