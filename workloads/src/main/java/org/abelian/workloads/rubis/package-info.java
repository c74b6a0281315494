/**
 * RUBiS, an auction site, as the Claret paper (Holt, Zhang, Ports, Oskin, Ceze, section 6.2) uses
 * it: eight types of transactions, bids by Zipf's law over auctions and ever more of them towards
 * an auction's end.
 *
 * <p>The paper leaves open, and so are ours: three of four views or browses are views; opening and
 * closing, and new users and views of users, have equal shares; there are two users for each item;
 * bids come {@code e^4} times as often at an auction's end as at its beginning. An auction that is
 * closed gives its popularity to the next one that is opened.
 */
package org.abelian.workloads.rubis;
