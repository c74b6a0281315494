package org.abelian.workloads.epinions;

import org.abelian.workloads.client.Transaction.Body;

/** The statements of each type of transaction. They are the same for both kinds of columns. */
final class EpinionsTransactions {
  private static final String REVIEWS_OF_ITEM =
      """
      SELECT r.a_id, r.u_id, r.rating, i.title FROM review r JOIN item i ON i.i_id = r.i_id
       WHERE r.i_id = ? ORDER BY r.rating DESC, r.a_id LIMIT 10\
      """;
  private static final String REVIEWS_BY_USER =
      """
      SELECT r.a_id, r.i_id, r.rating, u.name FROM review r JOIN useracct u ON u.u_id = r.u_id
       WHERE r.u_id = ? ORDER BY r.rating DESC, r.a_id LIMIT 10\
      """;
  private static final String AVERAGE_BY_TRUSTED =
      """
      SELECT avg(r.rating) FROM review r JOIN trust t ON t.target_u_id = r.u_id
       WHERE r.i_id = ? AND t.source_u_id = ? AND t.trust = 1\
      """;
  private static final String AVERAGE = "SELECT ratings, rating_total FROM item WHERE i_id = ?";
  private static final String REVIEWS =
      "SELECT a_id, u_id, rating FROM review WHERE i_id = ? ORDER BY a_id DESC";
  private static final String TRUSTED =
      "SELECT target_u_id, trust FROM trust WHERE source_u_id = ?";
  private static final String NAME = "UPDATE useracct SET name = ? WHERE u_id = ?";
  private static final String TITLE = "UPDATE item SET title = ? WHERE i_id = ?";
  private static final String OLD_RATING =
      "SELECT rating FROM review WHERE i_id = ? AND u_id = ? FOR UPDATE";
  private static final String RATE = "UPDATE review SET rating = ? WHERE i_id = ? AND u_id = ?";
  private static final String TOTAL =
      "UPDATE item SET rating_total = rating_total + ? WHERE i_id = ?";
  private static final String OLD_TRUST =
      "SELECT trust FROM trust WHERE source_u_id = ? AND target_u_id = ? FOR UPDATE";
  private static final String TRUST =
      "UPDATE trust SET trust = ? WHERE source_u_id = ? AND target_u_id = ?";
  private static final String FAME = "UPDATE useracct SET trusted = trusted + ? WHERE u_id = ?";

  private EpinionsTransactions() {}

  static Body reviewsOfItem(int item) {
    return session -> session.rows(REVIEWS_OF_ITEM, item);
  }

  static Body reviewsByUser(int user) {
    return session -> session.rows(REVIEWS_BY_USER, user);
  }

  static Body averageByTrusted(int item, int user) {
    return session -> session.row(AVERAGE_BY_TRUSTED, item, user);
  }

  static Body average(int item) {
    return session -> session.row(AVERAGE, item);
  }

  static Body reviewsByTrusted(int item, int user) {
    return session -> {
      session.rows(REVIEWS, item);
      session.rows(TRUSTED, user);
    };
  }

  static Body rename(int user, String name) {
    return session -> session.updateOne(NAME, name, user);
  }

  static Body retitle(int item, String title) {
    return session -> session.updateOne(TITLE, title, item);
  }

  /** A user thinks anew about an item. */
  static Body rate(int item, int user, int rating) {
    return session -> {
      int old = (Integer) session.row(OLD_RATING, item, user)[0];
      session.updateOne(RATE, rating, item, user);
      session.updateOne(TOTAL, rating - old, item);
    };
  }

  /**
   * A user thinks anew about another one.
   *
   * @param trust 1, or 0 for none
   */
  static Body trust(int source, int target, int trust) {
    return session -> {
      int old = (Integer) session.row(OLD_TRUST, source, target)[0];
      session.updateOne(TRUST, trust, source, target);
      session.updateOne(FAME, trust - old, target);
    };
  }
}
