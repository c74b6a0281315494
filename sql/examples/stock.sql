-- Stock that never falls below zero, without a lock on the row: sales of one product run side by side as long as there is enough for all of them.
-- Runs on: node.
CREATE SCHEMA stock;
SET search_path = stock;

CREATE TABLE product (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  on_hand abelian.bounded_counter(0),         -- never below 0
  reserved abelian.bounded_counter(0, 1000)   -- never below 0 or above 1000
);
INSERT INTO product VALUES (1, 'lamp', 5, 0);

-- A sale. What would cross a bound fails with SQLSTATE 23514; no condition on the stock is needed.
UPDATE product SET on_hand = on_hand - 2 WHERE id = 1;
UPDATE product SET on_hand = on_hand - 4 WHERE id = 1;
SELECT name, on_hand FROM product;

-- An order with several lines, of which those that are out of stock are left out.
CREATE FUNCTION take(product_id bigint, quantity integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product SET on_hand = on_hand - quantity, reserved = reserved + quantity WHERE id = product_id;
  RETURN found;
EXCEPTION WHEN check_violation THEN
  RETURN false;
END $$;
INSERT INTO product VALUES (2, 'bulb', 100, 0);
BEGIN;
SELECT take(1, 10) AS lamps, take(2, 10) AS bulbs;
COMMIT;
SELECT name, on_hand, reserved FROM product ORDER BY id;

-- Restocking adds, and never waits for sales.
UPDATE product SET on_hand = on_hand + 50 WHERE id = 1;
SELECT name, on_hand FROM product WHERE id = 1;

DROP SCHEMA stock CASCADE;
