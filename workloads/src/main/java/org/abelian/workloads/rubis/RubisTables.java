package org.abelian.workloads.rubis;

import java.util.List;
import java.util.Map;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Schema;

/**
 * The tables. Items are placed with their bids, users with the comments about them; regions and
 * categories are copied to every node.
 */
record RubisTables(Columns columns) implements Schema {
  @Override
  public List<String> create() {
    String count = columns.choose("bigint", "abelian.counter");
    String greatest = columns.choose("bigint", "abelian.max");
    return List.of(
        "CREATE TABLE regions (id integer PRIMARY KEY, name text NOT NULL)",
        "CREATE TABLE categories (id integer PRIMARY KEY, name text NOT NULL)",
        """
        CREATE TABLE users (
          id bigint PRIMARY KEY,
          nickname text NOT NULL,
          region integer NOT NULL,
          rating %1$s NOT NULL,
          won %1$s NOT NULL)\
        """
            .formatted(count),
        """
        CREATE TABLE items (
          id bigint PRIMARY KEY,
          name text NOT NULL,
          seller bigint NOT NULL,
          category integer NOT NULL,
          region integer NOT NULL,
          closed boolean NOT NULL,
          winner bigint,
          nb_of_bids %s NOT NULL,
          max_bid %s)\
        """
            .formatted(count, greatest),
        """
        CREATE TABLE bids (
          item bigint NOT NULL,
          bidder bigint NOT NULL,
          amount bigint NOT NULL)\
        """,
        """
        CREATE TABLE comments (
          about bigint NOT NULL,
          author bigint NOT NULL,
          item bigint NOT NULL,
          rating integer NOT NULL,
          comment text NOT NULL)\
        """);
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_reference_table('regions')",
        "CALL create_reference_table('categories')",
        "CALL create_distributed_table('users', 'id')",
        "CALL create_distributed_table('comments', 'about', colocate_with => 'users')",
        "CALL create_distributed_table('items', 'id')",
        "CALL create_distributed_table('bids', 'item', colocate_with => 'items')");
  }

  @Override
  public List<String> finish() {
    return List.of(
        "CREATE INDEX ON items (category, region)",
        "CREATE INDEX ON bids (item, amount)",
        "CREATE INDEX ON comments (about)",
        "VACUUM ANALYZE regions, categories, users, items, bids, comments");
  }

  /**
   * What must hold.
   *
   * @param atStart rows of the load
   * @param committed transactions since then
   */
  List<Rule> rules(RubisOptions atStart, Map<String, Long> committed) {
    return List.of(
        Rule.always(
            "an auction's number of bids and greatest bid are those of its bids",
            """
            SELECT count(*) FROM items i
              LEFT JOIN (SELECT item, count(*) n, max(amount) top FROM bids GROUP BY item) b
                ON b.item = i.id
             WHERE i.nb_of_bids::bigint <> coalesce(b.n, 0)
                OR i.max_bid::bigint IS DISTINCT FROM b.top\
            """),
        Rule.always(
            "no bid is for an item that is not there",
            """
            SELECT count(*) FROM bids b
             WHERE NOT EXISTS (SELECT FROM items i WHERE i.id = b.item)\
            """),
        Rule.ofTransactions(
            "who has won an auction is its highest bidder",
            """
            SELECT count(*) FROM items i
              LEFT JOIN (SELECT DISTINCT ON (item) item, bidder FROM bids
                          ORDER BY item, amount DESC) b ON b.item = i.id
             WHERE i.closed AND i.winner IS DISTINCT FROM b.bidder\
            """),
        Rule.always(
            "a user has won as many auctions as say so",
            """
            SELECT count(*) FROM users u
              LEFT JOIN (SELECT winner, count(*) n FROM items WHERE winner IS NOT NULL
                          GROUP BY winner) w ON w.winner = u.id
             WHERE u.won::bigint <> coalesce(w.n, 0)\
            """),
        Rule.always(
            "a user's rating is the sum of the comments'",
            """
            SELECT count(*) FROM users u
              LEFT JOIN (SELECT about, sum(rating) total FROM comments GROUP BY about) c
                ON c.about = u.id
             WHERE u.rating::bigint <> coalesce(c.total, 0)\
            """),
        Rule.acknowledged(RubisType.OPEN_AUCTION.label(), "items", atStart.items(), committed),
        Rule.acknowledged(RubisType.NEW_USER.label(), "users", atStart.users(), committed),
        Rule.acknowledged(RubisType.COMMENT.label(), "comments", 0, committed));
  }
}
