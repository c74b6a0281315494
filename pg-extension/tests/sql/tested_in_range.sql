-- Operations under conditions on the value: which of them need not hold it, and that all do what they do over plain columns.
\set QUIET on
CREATE TABLE item (
  id int PRIMARY KEY, kind int DEFAULT 1, least int DEFAULT 2, small smallint DEFAULT 2, note text,
  stock abelian.bounded_counter(0), seats abelian.bounded_counter(0, 10) DEFAULT 0, n abelian.bounded_counter DEFAULT 0,
  debt abelian.bounded_counter('-infinity', 100) DEFAULT 0, likes abelian.counter DEFAULT 0);
INSERT INTO item (id, stock) VALUES (1, 10), (2, 1), (3, NULL);
\set QUIET off

-- Whether the plan tests in range.
CREATE FUNCTION way(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text := 'holds the value';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    IF line LIKE '%Tested in Range%' THEN found := trim(line); END IF;
  END LOOP;
  RETURN found;
END $$;

-- The idiom, in its spellings.
SELECT condition, way('UPDATE item SET stock = stock - 2 WHERE id = 1 AND ' || condition)
  FROM unnest('{stock >= 2, stock > 1, 2 <= stock, 1 < stock, stock - 2 >= 0, stock - 1 >= 1, stock::bigint >= 2, stock >= 2::bigint,
    stock >= least, small <= stock, stock >= 0, stock >= 2 AND stock >= 1, note IS NULL AND stock >= 2}'::text[]) condition;
-- Others need the value.
SELECT condition, way('UPDATE item SET stock = stock - 2 WHERE id = 1 AND ' || condition)
  FROM unnest(ARRAY['stock = 2', 'stock <> 0', '(stock >= 2 OR id = 1)', 'NOT stock < 2', 'stock / 2 >= 1', 'stock >= 2::smallint', 'stock >= 4 / 2', 'stock >= length(note)',
    'stock >= seats', 'seats >= 2', 'stock >= 2 AND seats >= 0', 'stock >= (SELECT 2)', 'abs(stock) >= 2', 'stock * 1 >= 2', 'stock::numeric >= 2', '-stock <= -2']) condition;
SELECT statement, way(statement) FROM unnest(ARRAY[
  'UPDATE item SET stock = stock - 2 WHERE id = 1 AND stock >= 2 RETURNING id',
  'UPDATE item SET stock = stock - 2 WHERE id = 1 AND stock >= 2 RETURNING stock',
  'UPDATE item SET stock = stock - 2, note = ''x'' WHERE id = 1 AND stock >= 2',
  'UPDATE item SET stock = stock - 2, likes = likes + 1 WHERE id = 1 AND stock >= 2',
  'UPDATE item SET stock = stock - 2, seats = seats + 2 WHERE id = 1 AND seats <= 8',
  'UPDATE item SET stock = stock - 2, seats = seats + 2 WHERE id = 1 AND seats <= 8 AND stock >= 2',
  'UPDATE item SET stock = stock - least WHERE id = 1 AND stock >= least',
  'UPDATE item SET stock = stock - 2 WHERE kind = 1 AND stock >= 2',
  'UPDATE item SET stock = stock - 4 / least WHERE id = 1 AND stock >= 2',
  'UPDATE item SET likes = likes - 2 WHERE id = 1 AND likes >= 2']) statement;

-- What they do.
UPDATE item SET stock = stock - 2 WHERE id = 1 AND stock >= 2;
UPDATE item SET stock = stock - 2 WHERE id = 2 AND stock >= 2;
UPDATE item SET stock = stock - 2 WHERE id = 3 AND stock >= 2;
UPDATE item SET stock = stock - 2 WHERE id = 1 AND stock >= NULL;
BEGIN;
UPDATE item SET stock = stock - NULL::int WHERE id = 2 AND stock >= 2;
UPDATE item SET stock = stock - NULL::int WHERE id = 1 AND stock >= 2;
SELECT stock FROM item WHERE id = 1;
ROLLBACK;
UPDATE item SET stock = stock - 2 WHERE kind = 1 AND stock > 1 RETURNING id;
SELECT id, stock FROM item ORDER BY id;
-- The condition holds, but not the bound.
UPDATE item SET stock = stock - 7 WHERE id = 1 AND stock >= 1;
-- A condition that the bounds do not keep, a ceiling, and none.
UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock >= 6;
UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock >= 6;
UPDATE item SET seats = seats + 10 WHERE id = 1 AND seats + 10 <= 10;
UPDATE item SET seats = seats + 1 WHERE id = 1 AND seats < 10;
UPDATE item SET debt = debt + 60 WHERE id IN (1, 2) AND debt <= 40;
UPDATE item SET debt = debt + 60 WHERE id IN (1, 2) AND debt <= 40;
UPDATE item SET n = n - 1 WHERE id = 1 AND n >= 0;
UPDATE item SET n = n - 1 WHERE id = 1 AND n >= 0;
-- Arithmetic that overflows fails as over bigint.
UPDATE item SET n = n + 1 WHERE id = 1 AND n + 9223372036854775807 >= 0;
UPDATE item SET n = n + 2 WHERE id = 1;
UPDATE item SET n = n + 1 WHERE id = 1 AND n + 9223372036854775807 >= 0;
SELECT id, stock, seats, debt, n FROM item ORDER BY id;

-- Parameters of each type, and one plan for all.
SET plan_cache_mode = force_generic_plan;
PREPARE take_int(int) AS UPDATE item SET stock = stock - $1 WHERE id = 1 AND stock >= $1;
PREPARE take_bigint(bigint, int) AS UPDATE item SET stock = stock - $1 WHERE id = $2 AND stock - $1 >= 0;
EXECUTE take_int(2);
EXECUTE take_int(9);
EXECUTE take_int(-2);
EXECUTE take_int(NULL);
EXECUTE take_bigint(2, 1);
EXECUTE take_bigint(2, 2);
BEGIN ISOLATION LEVEL SERIALIZABLE;
EXECUTE take_bigint(2, 1);
EXECUTE take_bigint(2, 1);
ROLLBACK;
SELECT id, stock FROM item ORDER BY id;

-- In PL/pgSQL.
CREATE FUNCTION sell(item_id int, amount bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE changed int;
BEGIN
  UPDATE item SET stock = stock - amount WHERE id = item_id AND stock >= amount;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF NOT FOUND THEN RETURN 'sold out: ' || changed; END IF;
  RETURN 'sold: ' || changed;
END $$;
SELECT sell(1, 1), sell(1, 9), sell(4, 1);

-- Within one transaction: what it has taken itself counts, also after a savepoint.
BEGIN;
UPDATE item SET stock = stock - 1 WHERE id = 2 AND stock >= 1;
UPDATE item SET stock = stock - 1 WHERE id = 2 AND stock >= 1;
SAVEPOINT s;
UPDATE item SET stock = stock + 5 WHERE id = 2;
UPDATE item SET stock = stock - 5 WHERE id = 2 AND stock >= 5;
UPDATE item SET stock = stock - 5 WHERE id = 2 AND stock >= 5;
ROLLBACK TO s;
UPDATE item SET stock = stock - 1 WHERE id = 2 AND stock >= 1;
COMMIT;
-- The ways that wait for the row do the same.
SET abelian.split = never;
UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock >= 1;
UPDATE item SET stock = stock - 9 WHERE id = 1 AND stock >= 9;
RESET abelian.split;
SET abelian.strict_reads = on;
SELECT way('UPDATE item SET stock = stock - 2 WHERE id = 1 AND stock >= 2');
RESET abelian.strict_reads;
SET abelian.concurrent_operations = off;
UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock >= 1;
SELECT id, stock FROM item ORDER BY id;
