package org.abelian.workloads.epinions;

import java.util.List;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Schema;

/**
 * The tables. Items are placed with their reviews, users with whom they trust and how they have
 * rated reviews.
 */
record EpinionsTables(Columns columns) implements Schema {
  @Override
  public List<String> create() {
    String count = columns.choose("bigint", "abelian.counter");
    return List.of(
        """
        CREATE TABLE useracct (
          u_id integer PRIMARY KEY,
          name text NOT NULL,
          trusted %s NOT NULL)\
        """
            .formatted(count),
        """
        CREATE TABLE item (
          i_id integer PRIMARY KEY,
          title text NOT NULL,
          ratings %1$s NOT NULL,
          rating_total %1$s NOT NULL)\
        """
            .formatted(count),
        """
        CREATE TABLE review (
          a_id integer NOT NULL,
          u_id integer NOT NULL,
          i_id integer NOT NULL,
          rating integer NOT NULL,
          PRIMARY KEY (i_id, u_id))\
        """,
        """
        CREATE TABLE review_rating (
          u_id integer NOT NULL,
          a_id integer NOT NULL,
          rating integer NOT NULL,
          PRIMARY KEY (u_id, a_id))\
        """,
        """
        CREATE TABLE trust (
          source_u_id integer NOT NULL,
          target_u_id integer NOT NULL,
          trust integer NOT NULL,
          PRIMARY KEY (source_u_id, target_u_id))\
        """);
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_distributed_table('useracct', 'u_id')",
        "CALL create_distributed_table('review_rating', 'u_id', colocate_with => 'useracct')",
        "CALL create_distributed_table('trust', 'source_u_id', colocate_with => 'useracct')",
        "CALL create_distributed_table('item', 'i_id')",
        "CALL create_distributed_table('review', 'i_id', colocate_with => 'item')");
  }

  @Override
  public List<String> finish() {
    return List.of(
        "CREATE INDEX ON review (u_id)",
        "CREATE INDEX ON review_rating (a_id)",
        "VACUUM ANALYZE useracct, item, review, review_rating, trust");
  }

  /**
   * What must hold.
   *
   * @param atStart rows of the load; transactions add none
   */
  List<Rule> rules(EpinionsOptions options, Opinions atStart) {
    return List.of(
        rows("useracct", options.users()),
        rows("item", options.items()),
        rows("review", atStart.reviews()),
        rows("review_rating", atStart.reviews()),
        rows("trust", atStart.trusts()),
        Rule.always(
            "an item has as many ratings as reviews",
            """
            SELECT count(*) FROM item i
              LEFT JOIN (SELECT i_id, count(*) n FROM review GROUP BY i_id) r ON r.i_id = i.i_id
             WHERE i.ratings::bigint <> coalesce(r.n, 0)\
            """),
        Rule.ofTransactions(
            "an item's total is that of its reviews",
            """
            SELECT count(*) FROM item i
              LEFT JOIN (SELECT i_id, sum(rating) n FROM review GROUP BY i_id) r
                ON r.i_id = i.i_id
             WHERE i.rating_total::bigint <> coalesce(r.n, 0)\
            """),
        Rule.ofTransactions(
            "a user is trusted by as many as say so",
            """
            SELECT count(*) FROM useracct u
              LEFT JOIN (SELECT target_u_id, sum(trust) n FROM trust GROUP BY target_u_id) t
                ON t.target_u_id = u.u_id
             WHERE u.trusted::bigint <> coalesce(t.n, 0)\
            """),
        Rule.always(
            "every review is by a user who is there",
            """
            SELECT count(*) FROM review r
             WHERE NOT EXISTS (SELECT FROM useracct u WHERE u.u_id = r.u_id)\
            """));
  }

  private static Rule rows(String table, long count) {
    return Rule.always(
        "every row of " + table + " is there once",
        "SELECT abs(count(*) - %d) FROM %s".formatted(count, table));
  }
}
