package org.abelian.workloads.auctionmark;

import java.util.Locale;

/** The types of transactions. Auctions are posted after a check that has found some. */
enum AuctionMarkType {
  GET_ITEM(40),
  GET_USER_INFO(10),
  GET_WATCHED_ITEMS(5),
  NEW_BID(18),
  NEW_COMMENT(2),
  GET_COMMENT(2),
  NEW_COMMENT_RESPONSE(1),
  NEW_FEEDBACK(3),
  NEW_ITEM(10),
  NEW_PURCHASE(2),
  NEW_USER(5),
  UPDATE_ITEM(2),
  CHECK_WINNING_BIDS(1),
  POST_AUCTION(0);

  private final double weight;

  AuctionMarkType(double weight) {
    this.weight = weight;
  }

  /** How often it is drawn; 0 for what follows from another one. */
  double weight() {
    return weight;
  }

  /** As results count it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
