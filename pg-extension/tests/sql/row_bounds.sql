-- CHECKs over a bounded counter and plain columns are bounds that each row has for itself: whichever way a statement takes, it does what
-- it does over a plain column, and operations stay operations.
\set QUIET on
\pset format unaligned
CREATE TABLE event (
  id int PRIMARY KEY, capacity int, least bigint DEFAULT 0, small smallint DEFAULT 5, note text,
  seats abelian.bounded_counter(0) DEFAULT 0 CHECK (seats <= capacity),
  stock abelian.bounded_counter DEFAULT 0, likes abelian.counter DEFAULT 0,
  CONSTRAINT stock_of_row CHECK (stock BETWEEN -least AND small));
CREATE TABLE plain (
  id int PRIMARY KEY, capacity int, least bigint DEFAULT 0, small smallint DEFAULT 5, note text,
  seats bigint DEFAULT 0 CHECK (seats >= 0) CHECK (seats <= capacity),
  stock bigint DEFAULT 0, likes bigint DEFAULT 0,
  CONSTRAINT stock_of_row CHECK (stock BETWEEN -least AND small));
INSERT INTO event (id, capacity) VALUES (1, 10), (2, 2), (3, NULL);
INSERT INTO plain (id, capacity) VALUES (1, 10), (2, 2), (3, NULL);
INSERT INTO event (id, capacity, seats) VALUES (4, 10, NULL);
INSERT INTO plain (id, capacity, seats) VALUES (4, 10, NULL);
\set QUIET off

-- Both tables: what came of it, and whether that is the same.
CREATE FUNCTION alike(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE here text; there text; name text;
BEGIN
  BEGIN EXECUTE replace(statement, '@', 'plain'); there := 'done';
  EXCEPTION WHEN others THEN there := SQLSTATE; END;
  BEGIN EXECUTE replace(statement, '@', 'event'); here := 'done';
  EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME; here := SQLSTATE; END;
  IF here <> there THEN RETURN 'plain: ' || there || ', here: ' || here; END IF;
  RETURN concat_ws(' ', here, nullif(name, ''));
END $$;
CREATE FUNCTION way(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text := 'alone';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    IF line LIKE '%AbelianOperation%' THEN found := 'operation'; END IF;
    IF line LIKE '%Tested in Range%' THEN found := found || ', ' || trim(line); END IF;
  END LOOP;
  RETURN found;
END $$;
CREATE VIEW difference AS
  SELECT id, capacity, least, small, note, seats::bigint, stock::bigint, likes::bigint FROM event EXCEPT SELECT * FROM plain;

SELECT statement, way(statement) FROM unnest(ARRAY[
  'UPDATE event SET seats = seats + 1 WHERE id = 1', 'UPDATE event SET stock = stock - 1', 'UPDATE event SET seats = seats + 1, stock = stock - 1, likes = likes + 1',
  'UPDATE event SET likes = likes + 1', 'UPDATE event SET seats = seats + 2 WHERE id = 1 AND seats + 2 <= capacity',
  'UPDATE event SET stock = stock - 2 WHERE id = 1 AND stock - 2 >= -least', 'UPDATE event SET stock = stock - 2 WHERE id = 1 AND stock - 2 >= -small', 'UPDATE event SET stock = stock - 2 WHERE id = 1 AND stock - 2 >= -(-least)', 'UPDATE event SET seats = seats - 1, note = ''x''', 'UPDATE event SET seats = 3']) statement;

-- In the row, in slices, and in the row again.
DO $$
DECLARE way text; statement text; place int := 0;
BEGIN
  FOREACH way IN ARRAY '{auto,always,never}'::text[] LOOP
    PERFORM set_config('abelian.split', way, false);
    FOREACH statement IN ARRAY ARRAY[
      'seats = seats + 10 WHERE id = 1', 'seats = seats + 1 WHERE id = 1', 'seats = seats - 11 WHERE id = 1', 'seats = seats - 7 WHERE id = 1',
      'seats = seats + 2 WHERE id = 2', 'seats = seats + 1 WHERE id IN (1, 2)', 'seats = seats + 1000 WHERE id = 3', 'seats = seats + 1 WHERE id = 4',
      'stock = stock - 1 WHERE id = 1', 'stock = stock + 6 WHERE id = 1', 'stock = stock + 5 WHERE id = 1', 'least = 3 WHERE id = 1', 'stock = stock - 8 WHERE id = 1',
      'stock = stock - 1 WHERE id = 1', 'least = 2 WHERE id = 1', 'stock = stock + 3, least = 0 WHERE id = 1', 'small = 0 WHERE id = 1', 'stock = stock + 1 WHERE id = 1', 'small = 5 WHERE id = 1',
      'capacity = 2 WHERE id = 1', 'capacity = 3 WHERE id = 1', 'seats = seats + 1 WHERE id = 1', 'capacity = 20 WHERE id = 1', 'seats = seats + 17 WHERE id = 1', 'seats = seats + 1, note = ''x'' WHERE id = 1',
      'seats = seats - 20, likes = likes + 1 WHERE id = 1', 'capacity = 10 WHERE id = 1', 'capacity = 5, seats = seats + 7 WHERE id = 1', 'capacity = 5, seats = 5 WHERE id = 1', 'capacity = 10, seats = 0 WHERE id = 1',
      'seats = seats + 6 WHERE id = 1 AND seats + 6 <= capacity', 'seats = seats + 6 WHERE id = 1 AND seats + 6 <= capacity', 'stock = stock - 3 WHERE id = 1 AND stock - 3 >= -least', 'least = 3 WHERE id = 1', 'stock = stock - 3 WHERE id = 1 AND stock - 3 >= -least', 'stock = stock - 3 WHERE id = 1 AND -least <= stock - 3', 'stock = 0, least = 0 WHERE id = 1', 'seats = seats + NULL WHERE id = 2', 'seats = 0, capacity = 2 WHERE id IN (1, 2)', 'capacity = 10 WHERE id = 1', 'seats = 0 WHERE id = 3'] LOOP
      place := place + 1;
      RAISE NOTICE '%: % %', way, statement, alike('UPDATE @ SET ' || statement);
      IF EXISTS (SELECT FROM difference) THEN RAISE NOTICE 'differs: %', (SELECT d FROM difference d LIMIT 1); END IF;
    END LOOP;
  END LOOP;
END $$;
RESET abelian.split;

-- Errors are those of the CHECK.
SET abelian.split = always;
UPDATE event SET seats = seats + 11 WHERE id = 1;
UPDATE event SET seats = seats - 1 WHERE id = 1;
RESET abelian.split;
UPDATE event SET capacity = -1 WHERE id = 1;
INSERT INTO event (id, capacity, seats) VALUES (9, 1, 2);
-- ON CONFLICT and MERGE.
SELECT alike($$INSERT INTO @ VALUES (1, 4) ON CONFLICT (id) DO UPDATE SET seats = @.seats + 4, capacity = EXCLUDED.capacity$$),
  alike($$INSERT INTO @ VALUES (1, 4) ON CONFLICT (id) DO UPDATE SET seats = @.seats + 1$$),
  alike($$INSERT INTO @ VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET capacity = EXCLUDED.capacity$$),
  alike($$MERGE INTO @ USING (VALUES (1, 3)) v (id, c) ON v.id = @.id WHEN MATCHED THEN UPDATE SET capacity = c, note = 'merged'$$),
  alike($$MERGE INTO @ USING (VALUES (1, 9)) v (id, c) ON v.id = @.id WHEN MATCHED THEN UPDATE SET capacity = c, seats = seats + 5$$);
SELECT * FROM difference;
-- Savepoints: what the transaction has taken and what it has changed of the bound come and go together.
SET abelian.split = always;
BEGIN;
UPDATE event SET seats = 0, capacity = 5 WHERE id = 1;
UPDATE event SET seats = seats + 5 WHERE id = 1;
SAVEPOINT s;
UPDATE event SET capacity = 6 WHERE id = 1;
UPDATE event SET seats = seats + 1 WHERE id = 1;
SAVEPOINT t;
UPDATE event SET seats = seats + 1 WHERE id = 1;
ROLLBACK TO t;
UPDATE event SET capacity = 5 WHERE id = 1;
ROLLBACK TO s;
UPDATE event SET seats = seats + 1 WHERE id = 1;
ROLLBACK TO s;
UPDATE event SET seats = seats - 1 WHERE id = 1;
COMMIT;
RESET abelian.split;
SELECT capacity, seats FROM event WHERE id = 1;

-- CHECKs that are no bounds: the statement waits for the row, as ever.
ALTER TABLE event ADD CONSTRAINT also CHECK (seats <= capacity AND capacity < 1000);
SELECT way('UPDATE event SET seats = seats + 1');
ALTER TABLE event DROP CONSTRAINT also, ADD CONSTRAINT also CHECK (seats > 3) NOT VALID;
SELECT way('UPDATE event SET seats = seats + 1');
ALTER TABLE event DROP CONSTRAINT also;
SELECT way('UPDATE event SET seats = seats + 1');
CREATE FUNCTION with_check(text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
  EXECUTE 'ALTER TABLE event ADD CONSTRAINT also CHECK (' || $1 || ')';
  found := way('UPDATE event SET seats = seats + 1');
  ALTER TABLE event DROP CONSTRAINT also;
  RETURN found;
END $$;
SELECT check_, with_check(check_) FROM unnest(ARRAY[
  'seats < 100', 'seats < 12345678901', '0 <= seats AND seats < capacity + 100', 'seats <> 77', 'seats >= stock - 100', 'seats <= capacity OR note IS NULL', 'seats::numeric <= 100.5']) check_;
-- A child may have bounds that its parent does not know of.
CREATE TABLE child () INHERITS (event);
SELECT way('UPDATE child SET seats = seats + 1'), way('UPDATE ONLY event SET seats = seats + 1'), way('UPDATE event SET seats = seats + 1');
INSERT INTO child (id, capacity) VALUES (20, 1);
UPDATE event SET seats = seats + 1 WHERE id = 20;
UPDATE event SET capacity = 0 WHERE id = 20;
SELECT capacity, seats FROM event WHERE id = 20;
