package org.abelian.workloads.auctionmark;

import java.util.List;
import java.util.Map;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;

/** What must hold. */
record AuctionMarkRules(Columns columns, AuctionMarkOptions atStart) {
  private static final String PER_ITEM =
      """
      SELECT count(*) FROM item i
        LEFT JOIN (SELECT %1$s u, %2$s o, %3$s n FROM %4$s GROUP BY %1$s, %2$s) r
          ON r.u = i.i_u_id AND r.o = i.i_id
       WHERE %5$s\
      """;
  private static final String PER_USER =
      """
      SELECT count(*) FROM useracct a
        LEFT JOIN (SELECT %1$s u, %2$s n FROM %3$s GROUP BY %1$s) r ON r.u = a.u_id
       WHERE a.%4$s::bigint <> coalesce(r.n, 0)\
      """;

  /**
   * The rules.
   *
   * @param committed transactions since the load
   */
  List<Rule> all(Map<String, Long> committed) {
    long items = committed.getOrDefault(AuctionMarkType.NEW_ITEM.label(), 0L);
    return List.of(
        perItem(
            "an auction counts its bids",
            "ib",
            "count(*)",
            "i.i_num_bids::bigint <> coalesce(r.n, 0)"),
        perItem(
            "an auction's price is its highest bid",
            "ib",
            "max(ib_bid)",
            "i.i_current_price::bigint IS DISTINCT FROM r.n"),
        perItem(
            "an auction counts its comments",
            "ic",
            "count(*)",
            "i.i_num_comments::bigint <> coalesce(r.n, 0)"),
        Rule.always("an auction's highest bid is known", highestBid()),
        Rule.always(
            "a seller counts the comments that wait for an answer",
            PER_USER.formatted(
                "ic_u_id",
                "count(*) FILTER (WHERE ic_response IS NULL)",
                "item_comment",
                "u_comments")),
        Rule.always(
            "a user's rating is the sum of what others think",
            PER_USER.formatted("uf_u_id", "sum(uf_rating)", "useracct_feedback", "u_rating")),
        Rule.always(
            "money is only lost to fees",
            "SELECT abs(sum(u_balance::bigint) + %d) FROM useracct".formatted(items)),
        Rule.ofTransactions("what has been won is the highest bidder's", winners()),
        Rule.ofTransactions(
            "what has been paid for has one purchase",
            """
            SELECT abs((SELECT count(*) FROM item_purchase)
              - (SELECT count(*) FROM useracct_item WHERE ui_ip_id IS NOT NULL))\
            """),
        Rule.acknowledged(AuctionMarkType.NEW_ITEM.label(), "item", atStart.items(), committed),
        Rule.acknowledged(AuctionMarkType.NEW_USER.label(), "useracct", atStart.users(), committed),
        Rule.acknowledged(
            AuctionMarkType.NEW_COMMENT.label(), "item_comment", atStart.items(), committed));
  }

  private static Rule perItem(String claim, String prefix, String total, String violated) {
    String table = prefix.equals("ib") ? "item_bid" : "item_comment";
    return Rule.always(
        claim, PER_ITEM.formatted(prefix + "_u_id", prefix + "_i_id", total, table, violated));
  }

  private String highestBid() {
    String known =
        columns.choose(
            "SELECT imb_u_id u, imb_i_id o, imb_ib_id n FROM item_max_bid",
            """
            SELECT imb_u_id u, imb_i_id o, e.item::bigint n
              FROM item_max_bid, abelian.top(imb_best, 1) e\
            """);
    return """
    SELECT count(*) FROM (SELECT DISTINCT ON (ib_u_id, ib_i_id) ib_u_id, ib_i_id, ib_id
                            FROM item_bid ORDER BY ib_u_id, ib_i_id, ib_bid DESC) b
      LEFT JOIN (%s) k ON k.u = b.ib_u_id AND k.o = b.ib_i_id
     WHERE k.n IS DISTINCT FROM b.ib_id\
    """
        .formatted(known);
  }

  /** Auctions that have ended: 1 while the buyer is to pay, 2 in the end. */
  private static String winners() {
    return """
    SELECT count(*) FROM (SELECT DISTINCT ON (ib_u_id, ib_i_id) ib_u_id, ib_i_id, ib_buyer_id
                            FROM item_bid ORDER BY ib_u_id, ib_i_id, ib_bid DESC) b
      JOIN item i ON i.i_u_id = b.ib_u_id AND i.i_id = b.ib_i_id
     WHERE i.i_status > 0 AND NOT EXISTS (
       SELECT FROM useracct_item w
        WHERE w.ui_i_id = i.i_id AND w.ui_i_u_id = i.i_u_id AND w.ui_u_id = b.ib_buyer_id)\
    """;
  }
}
