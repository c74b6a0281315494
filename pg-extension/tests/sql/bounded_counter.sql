-- A bounded counter is a bigint with CHECK (c >= floor AND c <= ceiling), whichever way a statement takes.
\pset format unaligned
CREATE TABLE item (id int PRIMARY KEY, stock abelian.bounded_counter(0), seats abelian.bounded_counter(-5, 100), note text);
\d item
-- Bounds are kept exactly, or refused.
SELECT format_type('abelian.bounded_counter'::regtype, atttypmod) FROM pg_attribute WHERE attrelid = 'item'::regclass AND atttypid = 'abelian.bounded_counter'::regtype ORDER BY attnum;
CREATE TABLE other (a abelian.bounded_counter('-infinity', 7), b abelian.bounded_counter(-3000000000), c abelian.bounded_counter(0, 9000000000000000000), d abelian.bounded_counter, e abelian.bounded_counter(5, 'infinity'));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'other'::regclass AND attnum > 0 ORDER BY attnum;
CREATE TABLE bad (c abelian.bounded_counter(123456789));
CREATE TABLE bad (c abelian.bounded_counter(5, 4));
CREATE TABLE bad (c abelian.bounded_counter('a lot'));
CREATE TABLE bad (c abelian.bounded_counter('-infinity'));
CREATE TABLE bad (c abelian.bounded_counter(1, 2, 3));
\set VERBOSITY sqlstate
CREATE TABLE bad (c abelian.bounded_counter(5, 4));
INSERT INTO item VALUES (1, -1);
\set VERBOSITY default
-- INSERT, COPY, casts.
INSERT INTO item VALUES (1, 10, 0, 'a'), (2, 0, -5, 'b'), (3, 5, 100, 'c'), (4, NULL, NULL, 'd');
INSERT INTO item VALUES (5, -1, 0, 'e');
INSERT INTO item VALUES (5, 1, 101, 'e');
INSERT INTO item SELECT 5, -1, 0, 'e';
COPY item FROM stdin;
5	-1	0	e
\.
COPY item FROM stdin;
5	7	0	e
6	7	0	f
\.
SELECT 5::abelian.bounded_counter(0, 4);
SELECT '-1'::abelian.bounded_counter(0);
SELECT 3::bigint::abelian.bounded_counter(0, 4) + 1 AS four;
-- Operations: in the row, in a slice, ordinary path; all say the same.
SET abelian.split = never;
UPDATE item SET stock = stock - 11 WHERE id = 1;
UPDATE item SET stock = stock - 10 WHERE id = 1;
UPDATE item SET stock = stock + 10 WHERE id = 1;
UPDATE item SET seats = seats + 101 WHERE id = 1;
SET abelian.split = auto;
UPDATE item SET stock = stock - 11 WHERE id = 1;
UPDATE item SET stock = stock - 4 WHERE id = 1;
UPDATE item SET stock = stock + 4, seats = seats - 6 WHERE id = 1;
SET abelian.split = always;
UPDATE item SET stock = stock - 11 WHERE id = 1;
UPDATE item SET stock = stock - 4 WHERE id = 1;
UPDATE item SET stock = stock - 7 WHERE id = 1;
UPDATE item SET seats = seats + 101 WHERE id = 1;
UPDATE item SET seats = seats + 100 WHERE id = 1;
UPDATE item SET seats = seats + 1 WHERE id = 1;
SELECT * FROM item WHERE id = 1;
EXPLAIN (COSTS off) UPDATE item SET stock = stock - 1 WHERE id = 1;
EXPLAIN (COSTS off) UPDATE item SET stock = 3 - 1 + stock - 2::smallint WHERE note = 'a';
-- beside plain columns, with RETURNING, with conditions on the value, several rows
UPDATE item SET stock = stock - 7, note = 'x' WHERE id = 1;
UPDATE item SET stock = stock - 1, note = 'x' WHERE id = 1;
UPDATE item SET stock = stock - 7 WHERE id = 1 RETURNING stock;
UPDATE item SET stock = stock - 1 WHERE id = 1 RETURNING stock, note;
UPDATE item SET stock = stock - 4 WHERE stock >= 4 AND id < 4 RETURNING id, stock;
UPDATE item SET stock = stock - 1 WHERE id <= 3 RETURNING id;
UPDATE item SET stock = stock - 1 WHERE id IN (3, 4, 5) RETURNING id;
UPDATE item SET stock = stock - item.id FROM (VALUES (3), (3), (5)) AS v(id) WHERE item.id = v.id;
SELECT id, stock, seats, note FROM item ORDER BY id;
-- overwrites and read-modify-write
UPDATE item SET stock = -1 WHERE id = 1;
UPDATE item SET stock = stock * -1 WHERE id = 5;
UPDATE item SET stock = 20 - stock WHERE id = 5;
UPDATE item SET stock = seats, seats = stock WHERE id = 3;
UPDATE item SET stock = seats WHERE id = 2;
SELECT id, stock, seats FROM item ORDER BY id;
-- UPSERT, MERGE
INSERT INTO item VALUES (5, 1, 1, 'z') ON CONFLICT (id) DO UPDATE SET stock = item.stock - 100;
INSERT INTO item VALUES (5, 1, 1, 'z') ON CONFLICT (id) DO UPDATE SET stock = item.stock - EXCLUDED.stock, note = 'z';
INSERT INTO item VALUES (5, 100, 1, 'z') ON CONFLICT (id) DO UPDATE SET stock = item.stock - EXCLUDED.stock;
MERGE INTO item USING (VALUES (5, 100)) v(id, n) ON item.id = v.id WHEN MATCHED THEN UPDATE SET stock = stock - n;
MERGE INTO item USING (VALUES (5, 10)) v(id, n) ON item.id = v.id WHEN MATCHED THEN UPDATE SET stock = stock - n;
SELECT id, stock, seats, note FROM item WHERE id = 5;
-- what a program sees of a violation
DO $$
DECLARE s text; t text; c text; m text;
BEGIN
  UPDATE item SET stock = stock - 1000 WHERE id = 5;
EXCEPTION WHEN check_violation THEN
  GET STACKED DIAGNOSTICS s = SCHEMA_NAME, t = TABLE_NAME, c = COLUMN_NAME, m = MESSAGE_TEXT;
  RAISE NOTICE '% in %.%.%: %', SQLSTATE, s, t, c, m;
END $$;
-- within a transaction: increments make room for its own decrements, and a savepoint takes it back
BEGIN;
UPDATE item SET stock = stock + 5 WHERE id = 6;
SAVEPOINT s;
UPDATE item SET stock = stock - 12 WHERE id = 6;
ROLLBACK TO s;
UPDATE item SET stock = stock - 13 WHERE id = 6;
ROLLBACK TO s;
UPDATE item SET stock = stock - 12 WHERE id = 6;
COMMIT;
SELECT stock FROM item WHERE id = 6;
-- no modifier: no bounds; one at the ends of bigint
INSERT INTO other VALUES (7, -3000000000, 0, -9223372036854775808, 5);
UPDATE other SET a = a + 1;
UPDATE other SET b = b - 1;
UPDATE other SET c = c + 9000000000000000000, d = d + 5;
UPDATE other SET c = c + 1;
UPDATE other SET e = e + 9223372036854775807;
UPDATE other SET e = e - 1;
UPDATE other SET e = e + 9223372036854775802;
UPDATE other SET e = e + 1;
UPDATE other SET e = e - 9223372036854775803;
SELECT * FROM other;
-- changed bounds hold for what is there, slices included
SELECT stock FROM item WHERE id = 3;
UPDATE item SET stock = stock - 2 WHERE id = 3;
ALTER TABLE item ALTER stock TYPE abelian.bounded_counter(99);
ALTER TABLE item ALTER stock TYPE abelian.bounded_counter(0, 110);
UPDATE item SET stock = stock + 13 WHERE id = 3;
UPDATE item SET stock = stock + 12 WHERE id = 3;
SELECT id, stock FROM item ORDER BY id;
ALTER TABLE item ALTER seats TYPE bigint;
SELECT id, seats FROM item ORDER BY id;
-- as with CHECK, a table made of a query has no bounds
CREATE TABLE copied AS SELECT * FROM item;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'copied'::regclass AND attname = 'stock';
UPDATE copied SET stock = stock - 1 WHERE id = 1;
UPDATE copied SET stock = stock - 200 WHERE id = 3;
SELECT DISTINCT stock FROM item WHERE stock < 10 ORDER BY stock;
SELECT stock, count(*) FROM item GROUP BY stock ORDER BY stock DESC;
