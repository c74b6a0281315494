package org.abelian.workloads.auctionmark;

import java.sql.SQLException;
import java.util.List;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction.Body;
import org.abelian.workloads.workload.Columns;

/** The statements of the transactions that change rows. */
record AuctionMarkWrites(Columns columns) {
  /** In a statement of its own, and before the bid itself: what has ended takes no more bids. */
  private static final String COUNT_BID =
      """
      UPDATE item SET i_num_bids = i_num_bids + 1, i_current_price = greatest(i_current_price, ?)
       WHERE i_u_id = ? AND i_id = ? AND i_status = 0\
      """;

  private static final String BID =
      "INSERT INTO item_bid (ib_id, ib_i_id, ib_u_id, ib_buyer_id, ib_bid) VALUES (?, ?, ?, ?, ?)";
  private static final String HIGHEST_PLAIN =
      """
      UPDATE item_max_bid SET imb_bid = ?, imb_ib_id = ?
       WHERE imb_u_id = ? AND imb_i_id = ? AND imb_bid < ?\
      """;
  private static final String HIGHEST =
      """
      UPDATE item_max_bid SET imb_best = abelian.add(imb_best, ?::numeric, ?)
       WHERE imb_u_id = ? AND imb_i_id = ?\
      """;
  private static final String COMMENT =
      """
      INSERT INTO item_comment (ic_id, ic_i_id, ic_u_id, ic_buyer_id, ic_question)
      VALUES (?, ?, ?, ?, 'a question')\
      """;
  private static final String COUNT_COMMENT =
      "UPDATE item SET i_num_comments = i_num_comments + 1 WHERE i_u_id = ? AND i_id = ?";
  private static final String ASKED =
      "UPDATE useracct SET u_comments = u_comments + ? WHERE u_id = ?";
  private static final String ANSWER =
      """
      UPDATE item_comment SET ic_response = 'an answer'
       WHERE ic_u_id = ? AND ic_id = ? AND ic_response IS NULL\
      """;
  private static final String JUDGE =
      "INSERT INTO useracct_feedback (uf_u_id, uf_i_id, uf_from_id, uf_rating) VALUES (?, ?, ?, ?)";
  private static final String RATE = "UPDATE useracct SET u_rating = u_rating + ? WHERE u_id = ?";
  private static final String OFFER =
      """
      INSERT INTO item (i_id, i_u_id, i_c_id, i_name, i_description, i_end, i_status, i_num_bids,
                        i_num_comments)
      VALUES (?, ?, ?, 'a new item', 'a description', ?, 0, 0, 0)\
      """;
  private static final String IMAGE =
      "INSERT INTO item_image (ii_id, ii_i_id, ii_u_id) VALUES (?, ?, ?)";
  private static final String PAY = "UPDATE useracct SET u_balance = u_balance + ? WHERE u_id = ?";
  private static final String PAID =
      "UPDATE item SET i_status = 2 WHERE i_u_id = ? AND i_id = ? AND i_status = 1";
  private static final String PURCHASE =
      """
      INSERT INTO item_purchase (ip_id, ip_ib_id, ip_ib_i_id, ip_ib_u_id) VALUES (?, ?, ?, ?)\
      """;
  private static final String OWN =
      "UPDATE useracct_item SET ui_ip_id = ? WHERE ui_u_id = ? AND ui_i_id = ?";
  private static final String NEW_USER =
      """
      INSERT INTO useracct (u_id, u_r_id, u_rating, u_balance, u_comments) VALUES (?, ?, 0, 0, 0)\
      """;
  private static final String ATTRIBUTE =
      """
      INSERT INTO useracct_attributes (ua_id, ua_u_id, ua_name, ua_value)
      VALUES (?, ?, 'attribute', 'value')\
      """;
  private static final String DESCRIBE =
      "UPDATE item SET i_description = ? WHERE i_u_id = ? AND i_id = ? AND i_status = 0";
  private static final String END =
      "UPDATE item SET i_status = 1 WHERE i_u_id = ? AND i_id = ? AND i_status = 0";
  private static final String UNSOLD = "UPDATE item SET i_status = 2 WHERE i_u_id = ? AND i_id = ?";
  private static final String HIGHEST_BID =
      """
      SELECT ib_id, ib_buyer_id, ib_bid FROM item_bid
       WHERE ib_u_id = ? AND ib_i_id = ? AND ib_id = ?\
      """;
  private static final String WON =
      "INSERT INTO useracct_item (ui_u_id, ui_i_id, ui_i_u_id) VALUES (?, ?, ?)";

  /**
   * A buyer offers more than all before, unless the auction has ended.
   *
   * @param bid its number, and its amount
   */
  Body bid(Item item, long buyer, long bid) {
    return session -> {
      if (session.update(COUNT_BID, bid, item.seller(), item.id()) == 1) {
        session.updateOne(BID, bid, item.id(), item.seller(), buyer, bid);
        highest(session, item, bid);
      }
    };
  }

  private void highest(Session session, Item item, long bid) throws SQLException {
    if (columns == Columns.PLAIN) {
      session.update(HIGHEST_PLAIN, bid, bid, item.seller(), item.id(), bid);
    } else {
      session.updateOne(HIGHEST, bid, String.valueOf(bid), item.seller(), item.id());
    }
  }

  Body comment(Question question, long buyer) {
    Item item = question.item();
    return session -> {
      session.updateOne(COMMENT, question.number(), item.id(), item.seller(), buyer);
      session.updateOne(COUNT_COMMENT, item.seller(), item.id());
      session.updateOne(ASKED, 1, item.seller());
    };
  }

  Body answer(Question question) {
    long seller = question.item().seller();
    return session -> {
      if (session.update(ANSWER, seller, question.number()) == 1) {
        session.updateOne(ASKED, -1, seller);
      }
    };
  }

  /** A buyer judges the seller. */
  Body judge(Sale sale, int rating) {
    Item item = sale.item();
    return session -> {
      session.updateOne(JUDGE, item.seller(), item.id(), sale.buyer(), rating);
      session.updateOne(RATE, rating, item.seller());
    };
  }

  /**
   * A seller offers an item, for a fee of 1.
   *
   * @param image number of its picture
   */
  Body offer(Item item, int category, long image) {
    String noBids =
        columns.choose(
            "INSERT INTO item_max_bid (imb_i_id, imb_u_id, imb_bid) VALUES (?, ?, 0)",
            """
            INSERT INTO item_max_bid (imb_i_id, imb_u_id, imb_best)
            VALUES (?, ?, abelian.top_k(1))\
            """);
    return session -> {
      session.updateOne(OFFER, item.id(), item.seller(), category, item.id());
      session.updateOne(IMAGE, image, item.id(), item.seller());
      session.updateOne(noBids, item.id(), item.seller());
      session.updateOne(PAY, -1, item.seller());
    };
  }

  /** The buyer pays; users change in the order of their numbers. */
  Body purchase(Sale sale, long number) {
    Item item = sale.item();
    return session -> {
      if (session.update(PAID, item.seller(), item.id()) == 0) {
        return;
      }
      session.updateOne(PURCHASE, number, sale.bid(), item.id(), item.seller());
      session.updateOne(OWN, number, sale.buyer(), item.id());
      boolean sellerFirst = item.seller() < sale.buyer();
      if (sellerFirst) {
        session.updateOne(PAY, sale.price(), item.seller());
      }
      session.updateOne(PAY, -sale.price(), sale.buyer());
      if (!sellerFirst) {
        session.updateOne(PAY, sale.price(), item.seller());
      }
    };
  }

  Body newUser(long user, int region) {
    return session -> {
      session.updateOne(NEW_USER, user, region);
      session.updateOne(ATTRIBUTE, user, user);
    };
  }

  Body describe(Item item, String description) {
    return session -> session.update(DESCRIBE, description, item.seller(), item.id());
  }

  /**
   * Ends auctions, unless somebody else has ended them.
   *
   * @param ended gets those that this has ended
   * @param sales gets what was won of them
   */
  Body post(List<Item> items, List<Item> ended, List<Sale> sales) {
    return session -> {
      ended.clear();
      sales.clear();
      for (Item item : items) {
        if (session.update(END, item.seller(), item.id()) == 1) {
          ended.add(item);
          settle(session, item, sales);
        }
      }
    };
  }

  private void settle(Session session, Item item, List<Sale> sales) throws SQLException {
    List<Object[]> known =
        session.rows(
            columns.choose(
                "SELECT imb_ib_id FROM item_max_bid WHERE imb_u_id = ? AND imb_i_id = ?",
                """
                SELECT e.item::bigint FROM item_max_bid, abelian.top(imb_best, 1) e
                 WHERE imb_u_id = ? AND imb_i_id = ?\
                """),
            item.seller(),
            item.id());
    if (known.isEmpty() || known.get(0)[0] == null) {
      session.updateOne(UNSOLD, item.seller(), item.id());
      return;
    }
    Object[] bid = session.row(HIGHEST_BID, item.seller(), item.id(), known.get(0)[0]);
    Sale sale = new Sale(item, (Long) bid[1], (Long) bid[0], (Long) bid[2]);
    session.updateOne(WON, sale.buyer(), item.id(), item.seller());
    sales.add(sale);
  }
}
