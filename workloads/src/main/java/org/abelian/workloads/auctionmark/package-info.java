/**
 * AuctionMark, an auction site where a seller's rating, balance and auctions change with what
 * buyers do: fourteen types of transactions in the shares of the benchmark's first implementation,
 * over thirteen tables. The tables that describe items by attributes are left out.
 *
 * <p>Ours: numbers as keys; an auction ends when as many items have been offered since the start as
 * its end says, so that about as many auctions stay open; one transaction in a hundred looks for
 * those that have ended, and whoever finds some posts them. A user's page shows one of the lists
 * that belong to it, each as often as the others. Popularity of open auctions follows Zipf's law.
 */
package org.abelian.workloads.auctionmark;
