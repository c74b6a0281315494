package org.abelian.workloads.rubis;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.abelian.workloads.client.Session;
import org.abelian.workloads.client.Transaction.Body;

/** The statements of each type of transaction. They are the same for both kinds of columns. */
final class RubisTransactions {
  private static final String VIEW_ITEM =
      "SELECT name, seller, closed, winner, nb_of_bids, max_bid FROM items WHERE id = ?";
  private static final String VIEW_BIDS =
      "SELECT bidder, amount FROM bids WHERE item = ? ORDER BY amount DESC LIMIT 10";
  private static final String BROWSE =
      """
      SELECT id, name, nb_of_bids, max_bid FROM items
       WHERE category = ? AND region = ? AND NOT closed ORDER BY id LIMIT 20\
      """;

  /** In a statement of its own, and before the bid itself: what is closed takes no more bids. */
  private static final String COUNT_BID =
      """
      UPDATE items SET nb_of_bids = nb_of_bids + 1, max_bid = greatest(max_bid, ?)
       WHERE id = ? AND NOT closed\
      """;

  private static final String BID = "INSERT INTO bids (item, bidder, amount) VALUES (?, ?, ?)";
  private static final String OPEN =
      """
      INSERT INTO items (id, name, seller, category, region, closed, nb_of_bids, max_bid)
      VALUES (?, ?, ?, ?, ?, false, 0, NULL)\
      """;
  private static final String CLOSE = "UPDATE items SET closed = true WHERE id = ? AND NOT closed";
  private static final String HIGHEST =
      "SELECT bidder FROM bids WHERE item = ? ORDER BY amount DESC LIMIT 1";
  private static final String WINNER = "UPDATE items SET winner = ? WHERE id = ?";
  private static final String WON = "UPDATE users SET won = won + 1 WHERE id = ?";
  private static final String RATE = "UPDATE users SET rating = rating + ? WHERE id = ?";
  private static final String COMMENT =
      "INSERT INTO comments (about, author, item, rating, comment) VALUES (?, ?, ?, ?, ?)";
  private static final String NEW_USER =
      "INSERT INTO users (id, nickname, region, rating, won) VALUES (?, ?, ?, 0, 0)";
  private static final String VIEW_USER =
      "SELECT nickname, region, rating, won FROM users WHERE id = ?";
  private static final String VIEW_COMMENTS =
      "SELECT author, item, rating, comment FROM comments WHERE about = ? LIMIT 10";

  private static final String CALL_BID = "CALL place_bid(?, ?, ?)";
  private static final String CALL_CLOSE = "SELECT end_auction(?)";
  private static final String CALL_AWARD = "CALL award(?, ?)";
  private static final String CALL_COMMENT = "CALL comment_on(?, ?, ?, ?)";

  private RubisTransactions() {}

  static Body viewAuction(long item) {
    return session -> {
      session.rows(VIEW_ITEM, item);
      session.rows(VIEW_BIDS, item);
    };
  }

  static Body browse(int category, int region) {
    return session -> session.rows(BROWSE, category, region);
  }

  static Body bid(long item, long bidder, long amount) {
    return session -> {
      if (session.callsProcedures()) {
        session.call(CALL_BID, item, bidder, amount);
      } else if (session.update(COUNT_BID, amount, item) == 1) {
        session.updateOne(BID, item, bidder, amount);
      }
    };
  }

  static Body open(long item, long seller, int category, int region) {
    return session -> session.updateOne(OPEN, item, "item" + item, seller, category, region);
  }

  /**
   * Closes an auction unless it is closed already.
   *
   * @param wasOpen told whether it was open
   */
  static Body close(long item, AtomicBoolean wasOpen) {
    return session -> {
      if (session.callsProcedures()) {
        closeByCalls(session, item, wasOpen);
        return;
      }
      wasOpen.set(session.update(CLOSE, item) == 1);
      if (!wasOpen.get()) {
        return;
      }
      List<Object[]> highest = session.rows(HIGHEST, item);
      if (!highest.isEmpty()) {
        Object winner = highest.get(0)[0];
        session.updateOne(WINNER, winner, item);
        session.updateOne(WON, winner);
      }
    };
  }

  /**
   * The winner, who is on another node, is known when the auction has ended: that takes a second
   * call. What an earlier try has ended stays so.
   */
  private static void closeByCalls(Session session, long item, AtomicBoolean wasOpen)
      throws SQLException {
    if (!wasOpen.get()) {
      wasOpen.set((Boolean) session.row(CALL_CLOSE, item)[0]);
    }
    if (!wasOpen.get()) {
      return;
    }
    List<Object[]> highest = session.rows(HIGHEST, item);
    if (!highest.isEmpty()) {
      session.call(CALL_AWARD, item, highest.get(0)[0]);
    }
  }

  static Body comment(long about, long author, long item, int rating) {
    return session -> {
      if (session.callsProcedures()) {
        session.call(CALL_COMMENT, about, author, item, rating);
        return;
      }
      session.updateOne(RATE, rating, about);
      session.updateOne(COMMENT, about, author, item, rating, "a comment");
    };
  }

  static Body newUser(long id, int region) {
    return session -> session.updateOne(NEW_USER, id, "user" + id, region);
  }

  static Body viewUser(long id) {
    return session -> {
      session.rows(VIEW_USER, id);
      session.rows(VIEW_COMMENTS, id);
    };
  }
}
