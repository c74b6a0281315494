-- A distributed table with rows gets Abelian columns, on all nodes at once, and loses them again.
-- Runs on: cluster.
CREATE SCHEMA migration;
SET search_path = migration;

CREATE TABLE product (
  id bigint PRIMARY KEY,
  sold bigint NOT NULL DEFAULT 0,
  income numeric(12, 2) NOT NULL DEFAULT 0,
  stock integer NOT NULL DEFAULT 5 CHECK (stock >= 0)
);
SELECT create_distributed_table('product', 'id', colocate_with => 'none');
INSERT INTO product SELECT i, i, i * 9.90 FROM generate_series(1, 30) i;
CREATE VIEW best_sellers AS SELECT id, sold FROM product WHERE sold > 28;

-- What reads the column stands in the way, as on one node.
ALTER TABLE product ALTER COLUMN sold TYPE abelian.counter;
BEGIN;
DROP VIEW best_sellers;
ALTER TABLE product
  ALTER COLUMN sold TYPE abelian.counter,
  ALTER COLUMN income TYPE abelian.decimal_counter,
  DROP CONSTRAINT product_stock_check,
  ALTER COLUMN stock TYPE abelian.bounded_counter(0);
CREATE VIEW best_sellers AS SELECT id, sold FROM product WHERE sold > 28;
COMMIT;

-- Updates on several nodes now commit in one round.
SET abelian.commit_notice = on;
BEGIN;
UPDATE product SET sold = sold + 1, income = income + 9.90 WHERE id = 1;
UPDATE product SET sold = sold + 1, income = income + 9.90 WHERE id = 2;
COMMIT;
RESET abelian.commit_notice;
UPDATE product SET stock = stock - 6 WHERE id = 1;
SELECT sum(sold) AS sold, sum(income) AS income, sum(stock) AS stock FROM product;
SELECT * FROM best_sellers ORDER BY id;

-- And back.
BEGIN;
DROP VIEW best_sellers;
ALTER TABLE product
  ALTER COLUMN sold TYPE bigint,
  ALTER COLUMN income TYPE numeric(12, 2),
  ALTER COLUMN stock TYPE integer,
  ADD CHECK (stock >= 0);
COMMIT;
SELECT sum(sold) AS sold, sum(income) AS income, sum(stock) AS stock FROM product;

DROP SCHEMA migration CASCADE;
