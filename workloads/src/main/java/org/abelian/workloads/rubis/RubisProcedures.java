package org.abelian.workloads.rubis;

import java.util.List;
import org.abelian.workloads.workload.Procedure;

/**
 * The transactions of several statements as procedures. All rows that one changes are on one node,
 * but for the award of an auction: its item and its winner have nodes of their own.
 */
final class RubisProcedures {
  private RubisProcedures() {}

  static List<Procedure> all() {
    return List.of(
        new Procedure(
            "place_bid(bigint, bigint, bigint)",
            """
            CREATE PROCEDURE place_bid(auction bigint, bidder bigint, amount bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE items SET nb_of_bids = nb_of_bids + 1, max_bid = greatest(max_bid, amount)
               WHERE id = auction AND NOT closed;
              IF FOUND THEN
                INSERT INTO bids (item, bidder, amount) VALUES (auction, bidder, amount);
              END IF;
            END $$\
            """,
            "auction",
            "items"),
        new Procedure(
            "end_auction(bigint)",
            """
            CREATE FUNCTION end_auction(auction bigint) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE items SET closed = true WHERE id = auction AND NOT closed;
              RETURN FOUND;
            END $$\
            """,
            "auction",
            "items"),
        new Procedure(
            "award(bigint, bigint)",
            """
            CREATE PROCEDURE award(auction bigint, bidder bigint) LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE items SET winner = bidder WHERE id = auction;
              UPDATE users SET won = won + 1 WHERE id = bidder;
            END $$\
            """,
            "auction, bidder",
            "items"),
        new Procedure(
            "comment_on(bigint, bigint, bigint, integer)",
            """
            CREATE PROCEDURE comment_on(
              subject bigint, writer bigint, auction bigint, points integer)
            LANGUAGE plpgsql AS $$
            BEGIN
              UPDATE users SET rating = rating + points WHERE id = subject;
              INSERT INTO comments (about, author, item, rating, comment)
              VALUES (subject, writer, auction, points, 'a comment');
            END $$\
            """,
            "subject",
            "users"));
  }
}
