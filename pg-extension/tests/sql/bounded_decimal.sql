-- A bounded decimal is a numeric with so many digits and the CHECKs of its table, whichever way a statement takes.
\set QUIET on
\pset format unaligned
CREATE TABLE account (
  id int PRIMARY KEY, overdraft numeric DEFAULT 0, most int, note text,
  balance abelian.bounded_decimal(2) DEFAULT 0 CONSTRAINT covered CHECK (balance >= -overdraft),
  credit abelian.bounded_decimal(3) CHECK (credit >= 0.0005 AND credit < 1000.5) DEFAULT 1,
  held abelian.bounded_decimal(0) DEFAULT 0 CHECK (held <= most));
CREATE TABLE plain (
  id int PRIMARY KEY, overdraft numeric DEFAULT 0, most int, note text,
  balance numeric(30, 2) DEFAULT 0 CONSTRAINT covered CHECK (balance >= -overdraft),
  credit numeric(30, 3) CHECK (credit >= 0.0005 AND credit < 1000.5) DEFAULT 1,
  held numeric(30, 0) DEFAULT 0 CHECK (held <= most));
\set QUIET off
-- The scale is a number of digits.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'account'::regclass AND atttypmod >= 0 ORDER BY attnum;
CREATE TABLE bad (c abelian.bounded_decimal(16));
CREATE TABLE bad (c abelian.bounded_decimal(12, 2));
CREATE TABLE bad (c abelian.bounded_decimal('two'));
-- What comes in is rounded as numeric is, once; what is no number of units is refused.
SELECT '1.005'::abelian.bounded_decimal(2), '-1.005'::abelian.bounded_decimal(2), 1.0049999999999999999::abelian.bounded_decimal(2), 7::abelian.bounded_decimal(2), 2.675::float8::abelian.bounded_decimal(2),
  '12.50'::abelian.bounded_decimal, 1.5::abelian.bounded_decimal + 1, 5::bigint::abelian.bounded_decimal(1)::text, 0.45::abelian.bounded_decimal(2)::abelian.bounded_decimal(1), '-0.001'::abelian.bounded_decimal(2);
SELECT 'NaN'::abelian.bounded_decimal(2);
SELECT 'Infinity'::abelian.bounded_decimal;
SELECT 92233720368547758.08::abelian.bounded_decimal(2);
SELECT 'x'::abelian.bounded_decimal(2);
SELECT 92233720368547758.07::abelian.bounded_decimal(2), '-92233720368547758.08'::abelian.bounded_decimal(2);
-- Texts are read with their own digits first.
SELECT '1.00499999999999999'::abelian.bounded_decimal(2), '1000000.125456789012345'::abelian.bounded_decimal(2), '10000.000000000000000'::abelian.bounded_decimal, (100000::numeric / 3)::abelian.bounded_decimal;
SELECT abelian.bounded_decimal(1.5, 18, false);
-- Order, equality, hashing and JSON are those of the values.
SELECT '1.50'::abelian.bounded_decimal OPERATOR(abelian.|=|) '1.5'::abelian.bounded_decimal AS equal, '1.4'::abelian.bounded_decimal < '1.39999'::abelian.bounded_decimal AS less,
  to_json(1.50::abelian.bounded_decimal(2)), 1.50::abelian.bounded_decimal(2)::json, (1.6::abelian.bounded_decimal)::int;
SELECT v, count(*) FROM (VALUES ('1.50'::abelian.bounded_decimal), ('1.5'), ('-3'), ('22.1')) t(v) GROUP BY v ORDER BY v;

\set QUIET on
INSERT INTO account (id, overdraft, most) VALUES (1, 500, 10), (2, 0, 1), (3, NULL, NULL), (4, 0.005, 3);
INSERT INTO plain (id, overdraft, most) VALUES (1, 500, 10), (2, 0, 1), (3, NULL, NULL), (4, 0.005, 3);
INSERT INTO account (id, balance) VALUES (5, NULL);
INSERT INTO plain (id, balance) VALUES (5, NULL);
\set QUIET off
-- Both tables: what came of it, and whether that is the same.
CREATE FUNCTION alike(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE here text; there text; name text; rows bigint;
BEGIN
  BEGIN EXECUTE replace(statement, '@', 'plain'); GET DIAGNOSTICS rows = ROW_COUNT; there := 'done ' || rows;
  EXCEPTION WHEN others THEN there := SQLSTATE; END;
  BEGIN EXECUTE replace(statement, '@', 'account'); GET DIAGNOSTICS rows = ROW_COUNT; here := 'done ' || rows;
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
  SELECT id, overdraft, most, note, balance::text, credit::text, held::text FROM account EXCEPT SELECT id, overdraft, most, note, balance::text, credit::text, held::text FROM plain;

SELECT statement, way('UPDATE account SET ' || statement) FROM unnest(ARRAY[
  'balance = balance - 5', 'balance = balance + 0.01 - overdraft', 'balance = balance + 5.005, held = held + 1', 'credit = credit * 2', 'balance = 7', 'balance = balance - 5, note = ''x''',
  'balance = balance - 5 WHERE id = 1 AND balance >= 5', 'balance = balance - 5 WHERE id = 1 AND balance - 5 >= -overdraft', 'balance = balance - 5 WHERE id = 1 AND -overdraft <= balance - 5',
  'balance = balance - 5 WHERE id = 1 AND balance - 5 > 0.5', 'held = held + 1 WHERE id = 1 AND held + 1 <= most', 'held = held - 1 WHERE id = 1 AND held - 1 >= -most', 'credit = credit - 0.5 WHERE id = 1 AND credit >= 1', 'balance = balance - 5 WHERE id = 1 AND balance = 5', 'balance = balance - 5 WHERE id = 1 AND balance >= credit']) statement;

-- In the row, in slices, and in the row again.
DO $$
DECLARE way text; statement text;
BEGIN
  FOREACH way IN ARRAY '{auto,always,never}'::text[] LOOP
    PERFORM set_config('abelian.split', way, false);
    FOREACH statement IN ARRAY ARRAY[
      'balance = balance + 10 WHERE id = 1', 'balance = balance - 510 WHERE id = 1', 'balance = balance - 0.01 WHERE id = 1', 'balance = balance + 500.25 WHERE id = 1', 'overdraft = 0.005 WHERE id = 1',
      'balance = balance - 0.01 WHERE id = 2', 'balance = balance - 1000000000.99 WHERE id = 3', 'balance = balance - 1 WHERE id = 5', 'balance = balance - 0.01 WHERE id = 4', 'overdraft = 0.01 WHERE id = 4', 'balance = balance - 0.01 WHERE id = 4',
      'overdraft = 0.009 WHERE id = 4', 'balance = balance + 0.01, overdraft = 0.005 WHERE id = 4', 'credit = credit - 1 WHERE id = 1', 'credit = credit - 0.999 WHERE id = 1', 'credit = credit - 0.001 WHERE id = 1', 'credit = credit + 1000.499 WHERE id = 1',
      'credit = credit + 999.498 WHERE id = 1', 'credit = credit + 1 WHERE id = 1', 'credit = 1 WHERE id = 1', 'held = held + 10 WHERE id = 1', 'held = held + 1 WHERE id IN (1, 2)', 'most = 3 WHERE id = 1', 'held = held - 8, most = 3 WHERE id = 1', 'held = 0, most = 10 WHERE id = 1', 'held = held - 1 WHERE id = 2',
      'balance = balance - 0.25 WHERE id = 1 AND balance >= 0.25', 'balance = balance - 0.25 WHERE id = 1 AND balance >= 0.25', 'balance = balance - 0.02 WHERE id = 1 AND balance - 0.02 >= -overdraft', 'overdraft = 5 WHERE id = 1', 'balance = balance - 2.5 WHERE id = 1 AND balance - 2.5 >= -overdraft', 'balance = balance - 2.5 WHERE id = 1 AND balance - 2.5 > -overdraft', 'balance = balance - 2.5 WHERE id = 1 AND balance - 2.5 >= -overdraft',
      'balance = balance - ''NaN'' WHERE id = 1 AND balance >= ''NaN''', 'balance = balance - 1 WHERE id = 1 AND balance >= ''-Infinity''', 'credit = credit + 1 WHERE id = 1 AND credit - ''NaN'' <= 5', 'balance = balance - 0.01 WHERE id = 1 AND balance - ''NaN'' >= 0', 'balance = balance + 1 WHERE id = 1 AND balance + ''Infinity'' < ''Infinity''', 'balance = balance - 1 WHERE id = 1 AND balance + ''Infinity'' >= ''Infinity''', 'balance = balance - 1e30 WHERE id = 1 AND balance >= 5000', 'balance = balance - 1 WHERE id = 1 AND balance >= NULL', 'balance = balance + NULL WHERE id = 3', 'balance = 0 WHERE id IN (1, 3)', 'overdraft = ''Infinity'' WHERE id = 2', 'balance = balance - 77.77 WHERE id = 2', 'overdraft = 77.765 WHERE id = 2', 'balance = balance / 3 WHERE id = 2', 'balance = 0, overdraft = 0 WHERE id = 2', 'overdraft = 500 WHERE id = 1'] LOOP
      RAISE NOTICE '%: % %', way, statement, alike('UPDATE @ SET ' || statement);
      IF EXISTS (SELECT FROM difference) THEN RAISE NOTICE 'differs: %', (SELECT d FROM difference d LIMIT 1); END IF;
    END LOOP;
  END LOOP;
END $$;
-- Each amount is rounded, and one that is no number of units changes nothing.
SET abelian.split = always;
UPDATE account SET balance = balance + 0.005 WHERE id = 1;
UPDATE account SET balance = balance - 0.005 WHERE id = 1;
UPDATE account SET balance = balance + 0.004 WHERE id = 1;
UPDATE account SET balance = balance + 'NaN' WHERE id = 1;
UPDATE account SET balance = balance + 1e30 WHERE id = 1;
UPDATE account SET balance = balance - 1e30 WHERE id = 1;
SELECT balance FROM account WHERE id = 1;
-- So it is whatever else sees the value.
DO $$
DECLARE statement text; found text;
BEGIN
  FOREACH statement IN ARRAY ARRAY[
    'UPDATE account SET balance = balance - 0.345 WHERE id = 1', 'UPDATE account SET balance = balance - 0.345 WHERE id = 1 RETURNING balance', 'UPDATE account SET balance = balance - 0.345, note = ''x'' WHERE id = 1',
    'INSERT INTO account (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET balance = account.balance - 0.345', 'MERGE INTO account USING (VALUES (1)) v (id) ON v.id = account.id WHEN MATCHED THEN UPDATE SET balance = balance - 0.345',
    'UPDATE account SET balance = balance - v.n FROM (VALUES (0.345)) v (n) WHERE id = 1 RETURNING balance', 'UPDATE account SET (balance, note) = (balance - 0.345, ''y'') WHERE id = 1', 'UPDATE account SET balance = balance - (credit - credit + 0.345) WHERE id = 1'] LOOP
    UPDATE account SET balance = 1 WHERE id = 1;
    EXECUTE statement;
    SELECT balance INTO found FROM account WHERE id = 1;
    RAISE NOTICE '%: %', statement, found;
  END LOOP;
  UPDATE account SET balance = 0, note = NULL WHERE id = 1;
END $$;
-- Errors are those of the CHECK, with the numbers as they are written.
UPDATE account SET balance = balance - 500.01 WHERE id = 1;
UPDATE account SET credit = credit + 1000 WHERE id = 1;
UPDATE account SET balance = -500.01 WHERE id = 1;
RESET abelian.split;
-- Other statements.
SELECT alike($$INSERT INTO @ (id, overdraft) VALUES (1, 4) ON CONFLICT (id) DO UPDATE SET balance = @.balance - 3.99$$),
  alike($$INSERT INTO @ (id, overdraft) VALUES (1, 400) ON CONFLICT (id) DO UPDATE SET balance = @.balance - 496.01, overdraft = EXCLUDED.overdraft$$),
  alike($$MERGE INTO @ USING (VALUES (1, 0.99)) v (id, n) ON v.id = @.id WHEN MATCHED THEN UPDATE SET balance = balance - n, note = 'merged'$$),
  alike($$INSERT INTO @ SELECT id + 10, overdraft, most, note, balance, credit, held FROM @ WHERE id = 1$$),
  alike($$DELETE FROM @ WHERE balance < 0$$), alike($$INSERT INTO @ (id, balance) VALUES (1, 7.777)$$), alike($$INSERT INTO @ (id, balance) VALUES (6, -0.001)$$);
SELECT * FROM difference;
UPDATE account SET balance = balance - 7.7 WHERE id = 1 RETURNING balance, balance * 2 AS twice;
COPY account (id, balance) FROM stdin;
20	12.345
\.
COPY account (id, balance) FROM stdin;
21	-1
\.
COPY (SELECT id, balance FROM account WHERE id = 20) TO stdout;
SELECT sum(balance), max(balance::numeric), avg(credit)::numeric(10, 3) FROM account WHERE id IN (1, 20);
-- Beside numeric it is one, whatever it holds.
SELECT GREATEST(balance, 'Infinity'::numeric), COALESCE(balance, 1::numeric / 3) FROM account WHERE id = 20;
CREATE TABLE both_of AS SELECT credit FROM account UNION ALL SELECT credit FROM account WITH NO DATA;
SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'both_of'::regclass AND attnum = 1;
-- Parameters of each type, and one plan for all.
SET plan_cache_mode = force_generic_plan;
PREPARE pay(int, numeric) AS UPDATE account SET balance = balance - $2 WHERE id = $1 AND balance >= $2;
EXECUTE pay(20, 12);
EXECUTE pay(20, 0.36);
EXECUTE pay(20, 0.344);
EXECUTE pay(20, 'NaN');
EXECUTE pay(20, NULL);
SELECT balance FROM account WHERE id = 20;
-- Indexes over what the row stores.
CREATE INDEX account_base ON account (abelian.base(balance));
CREATE INDEX account_object ON account (abelian.bounded_decimal_object(balance));
UPDATE account SET balance = balance + 1.5 WHERE id IN (1, 20);
SELECT id, balance FROM account WHERE balance >= 1.5 ORDER BY balance DESC LIMIT 3;
SET enable_seqscan = off;
SELECT id, balance FROM account WHERE balance >= 1.5 ORDER BY balance DESC LIMIT 3;
RESET enable_seqscan;
DROP INDEX account_base, account_object;
-- Another scale: what is in slices counts, and plans follow.
DROP VIEW difference;
SET abelian.split = always;
UPDATE account SET balance = balance + 1.25 WHERE id IN (1, 20);
ALTER TABLE account ALTER balance TYPE abelian.bounded_decimal(4);
EXECUTE pay(20, 0.0001);
UPDATE account SET balance = balance + 0.00005 WHERE id = 1;
SELECT id, balance FROM account WHERE id IN (1, 20) ORDER BY id;
ALTER TABLE account ALTER balance TYPE abelian.bounded_decimal(1);
UPDATE account SET balance = balance + 0.1 WHERE id = 1;
SELECT id, balance FROM account WHERE id IN (1, 20) ORDER BY id;
-- Without a scale each value has its own, and operations wait for the row.
ALTER TABLE account ALTER balance TYPE abelian.bounded_decimal;
SELECT way('UPDATE account SET balance = balance + 0.001');
UPDATE account SET balance = balance + 0.001 WHERE id = 1;
UPDATE account SET balance = balance - 5000 WHERE id = 1;
SELECT id, balance FROM account WHERE id IN (1, 20) ORDER BY id;
-- To plain types and back, and to the other Abelian ones.
ALTER TABLE account DROP CONSTRAINT covered, ALTER balance TYPE numeric(12, 2), ALTER balance DROP DEFAULT;
ALTER TABLE account ALTER balance TYPE abelian.bounded_decimal(3);
UPDATE account SET balance = balance - 0.125 WHERE id = 1;
ALTER TABLE account ALTER balance TYPE abelian.decimal_counter;
SELECT id, balance FROM account WHERE id = 1;
ALTER TABLE account ALTER balance TYPE abelian.bounded_decimal(2);
ALTER TABLE account ALTER balance TYPE abelian.bounded_counter(0);
SELECT id, balance FROM account WHERE id = 1;
