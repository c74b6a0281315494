package org.abelian.workloads.auctionmark;

import java.util.List;
import org.abelian.workloads.client.Transaction.Body;

/** The statements of the transactions that only read. */
final class AuctionMarkReads {
  private static final String ITEM =
      """
      SELECT i_id, i_u_id, i_c_id, i_name, i_description, i_end, i_status, i_num_bids,
             i_current_price
        FROM item WHERE i_u_id = ? AND i_id = ?\
      """;
  private static final String USER =
      """
      SELECT u_id, u_rating, u_balance, u_comments, r_name FROM useracct
        JOIN region ON r_id = u_r_id WHERE u_id = ?\
      """;
  private static final String FEEDBACK =
      """
      SELECT f.uf_rating, f.uf_i_id, a.u_id, a.u_rating FROM useracct_feedback f
        JOIN useracct a ON a.u_id = f.uf_from_id
       WHERE f.uf_u_id = ? ORDER BY f.uf_i_id DESC LIMIT 25\
      """;
  private static final String COMMENTS =
      """
      SELECT ic_i_id, ic_buyer_id, ic_question FROM item_comment
       WHERE ic_u_id = ? AND ic_response IS NULL ORDER BY ic_id DESC LIMIT 25\
      """;
  private static final String SELLING =
      """
      SELECT i_id, i_name, i_current_price, i_end, i_status FROM item
       WHERE i_u_id = ? ORDER BY i_end DESC LIMIT 25\
      """;
  private static final String BOUGHT =
      """
      SELECT i.i_id, i.i_name, i.i_current_price, i.i_end, i.i_status FROM useracct_item w
        JOIN item i ON i.i_u_id = w.ui_i_u_id AND i.i_id = w.ui_i_id
       WHERE w.ui_u_id = ? ORDER BY i.i_end DESC LIMIT 25\
      """;
  private static final String WATCHED =
      """
      SELECT i.i_id, i.i_name, i.i_current_price, i.i_end, i.i_status FROM useracct_watch w
        JOIN item i ON i.i_u_id = w.uw_i_u_id AND i.i_id = w.uw_i_id
       WHERE w.uw_u_id = ? ORDER BY i.i_end DESC LIMIT 25\
      """;
  private static final String OF_ITEM =
      """
      SELECT ic_id, ic_buyer_id, ic_question, ic_response FROM item_comment
       WHERE ic_u_id = ? AND ic_i_id = ? ORDER BY ic_id\
      """;
  private static final String ENDED =
      """
      SELECT i_u_id, i_id FROM item
       WHERE i_status = 0 AND i_end <= ? ORDER BY i_end LIMIT 10\
      """;

  /** What a user's page shows below what is told about the user. */
  static final List<String> LISTS = List.of(FEEDBACK, COMMENTS, SELLING, BOUGHT);

  private AuctionMarkReads() {}

  static Body item(Item item) {
    return session -> {
      session.row(ITEM, item.seller(), item.id());
      session.row(USER, item.seller());
    };
  }

  /**
   * A user's page.
   *
   * @param list one of {@link #LISTS}
   */
  static Body user(long user, String list) {
    return session -> {
      session.row(USER, user);
      session.rows(list, user);
    };
  }

  static Body watched(long user) {
    return session -> session.rows(WATCHED, user);
  }

  static Body comments(Item item) {
    return session -> session.rows(OF_ITEM, item.seller(), item.id());
  }

  /**
   * Looks for auctions that are to be posted.
   *
   * @param found gets them
   */
  static Body ended(long clock, List<Item> found) {
    return session -> {
      found.clear();
      for (Object[] row : session.rows(ENDED, clock)) {
        found.add(new Item((Long) row[0], (Long) row[1]));
      }
    };
  }
}
