-- An auction: the highest bid, the three best bidders and the number of bids are kept beside the item, and bids do not wait for each other.
-- Runs on: node.
CREATE SCHEMA auctions;
SET search_path = auctions;

CREATE TABLE auction (
  id bigint PRIMARY KEY,
  item text NOT NULL,
  open boolean NOT NULL DEFAULT true,
  high_bid abelian.max_numeric,
  bids abelian.counter NOT NULL DEFAULT 0,
  best abelian.top_k NOT NULL DEFAULT abelian.top_k(3)
);
INSERT INTO auction (id, item) VALUES (1, 'a clock');

-- A bid. Each of these assignments commutes with those of other bids; the condition reads a plain column only.
CREATE PROCEDURE bid(auction_id bigint, bidder text, amount numeric) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE auction SET high_bid = greatest(high_bid, amount), bids = bids + 1, best = abelian.add(best, amount, bidder)
   WHERE id = auction_id AND open;
  IF NOT found THEN
    RAISE EXCEPTION 'auction % is closed', auction_id USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
END $$;

CALL bid(1, 'ann', 10.00);
CALL bid(1, 'bob', 12.50);
CALL bid(1, 'cy', 11.00);
CALL bid(1, 'ann', 15.00);
CALL bid(1, 'dan', 9.99);

SELECT item, high_bid, bids FROM auction WHERE id = 1;
SELECT place, b.item AS bidder, b.score AS amount
  FROM auction a, abelian.top(a.best, 3) WITH ORDINALITY b(score, item, place) WHERE a.id = 1;

-- Closing writes a plain column: it waits for bids under way, and later ones see it.
UPDATE auction SET open = false WHERE id = 1;
CALL bid(1, 'eve', 99.00);
SELECT high_bid, bids FROM auction WHERE id = 1;

DROP SCHEMA auctions CASCADE;
