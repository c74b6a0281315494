-- From plain columns to Abelian ones: a table with rows, defaults, constraints, an index and a view, in one transaction. The application's statements stay.
-- Runs on: node; through a router the same statements convert a table on all nodes.
-- Which columns gain from it: SELECT * FROM abelian.advise_types(), under the usual load.
CREATE SCHEMA migration;
SET search_path = migration;

-- What is there.
CREATE TABLE product (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  sold bigint NOT NULL DEFAULT 0,
  income numeric(12, 2) NOT NULL DEFAULT 0,
  stock integer NOT NULL DEFAULT 0 CHECK (stock >= 0),
  last_sale timestamptz
);
CREATE INDEX product_sold ON product (sold DESC);
CREATE VIEW best_sellers AS SELECT id, name, sold FROM product WHERE sold > 100;
INSERT INTO product SELECT i, 'product ' || i, i * 50, i * 99.90, 10, '2024-01-01Z' FROM generate_series(1, 4) i;

-- The conversion rewrites the table, as any change of type does, and locks it meanwhile. What reads the column must be made anew: views; indexes over it must
-- go, since an Abelian column cannot be indexed; and bounds become those of abelian.bounded_counter.
BEGIN;
SET LOCAL lock_timeout = '5 s';
DROP VIEW best_sellers;
DROP INDEX product_sold;
ALTER TABLE product
  DROP CONSTRAINT product_stock_check,
  ALTER COLUMN sold TYPE abelian.counter,
  ALTER COLUMN income TYPE abelian.decimal_counter,
  ALTER COLUMN stock TYPE abelian.bounded_counter(0),
  ALTER COLUMN last_sale TYPE abelian.max_timestamptz;
CREATE VIEW best_sellers AS SELECT id, name, sold FROM product WHERE sold > 100;
COMMIT;

-- Defaults and NOT NULL are still there.
SELECT attname AS column, format_type(atttypid, atttypmod) AS type, attnotnull AS not_null, pg_get_expr(adbin, adrelid) AS default
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid = 'product'::regclass AND attnum > 0 ORDER BY attnum;

-- The same statement as before, which no longer waits for others of its kind.
UPDATE product SET sold = sold + 1, income = income + 99.90, stock = stock - 1, last_sale = greatest(last_sale, '2024-05-05 12:00Z') WHERE id = 4;
UPDATE product SET stock = stock - 10 WHERE id = 4;
SET timezone = 'UTC';
SELECT * FROM product WHERE id = 4;
SELECT * FROM best_sellers ORDER BY id;

DROP SCHEMA migration CASCADE;
