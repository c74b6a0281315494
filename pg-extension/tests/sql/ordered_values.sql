-- as: abelian
-- The greatest and the least of every ordered type: those that are there, and those that create_type makes, also where PostgreSQL has no such aggregate, and under a collation.
\pset null NULL
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('bad', 'fair', 'good');
CREATE COLLATION backwards (provider = icu, locale = 'en-u-kf-upper', deterministic = true);
SELECT abelian.create_type('public.best_mood', 'max(mood)'), abelian.create_type('worst_version', 'min(integer[])'), abelian.create_type('any_true', 'max(boolean)'),
  abelian.create_type('last_name', 'max(text COLLATE "C")'), abelian.create_type('first_name', 'MIN(text collate backwards)'), abelian.create_type('span', 'max(int8range)');
-- What is put into a column, in the row, in slices and on the ordinary path: one value if all three are the same. `notation` is that of SQL, if the type knows it.
CREATE FUNCTION as_plain(made regtype, value regtype, notation text, VARIADIC puts text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  put text;
  operation text;
  wanted text;
BEGIN
  EXECUTE format('CREATE TABLE t (id int PRIMARY KEY, c %s, p %s, note text)', made, value);
  INSERT INTO t VALUES (1), (2), (3);
  FOREACH put IN ARRAY puts LOOP
    operation := CASE notation WHEN '' THEN 'abelian.add(c, %L::%s)' ELSE notation || '(c, %L::%s)' END;
    EXECUTE format('UPDATE t SET c = ' || operation || ' WHERE id = 1', put, value);
    SET LOCAL abelian.split = always;
    EXECUTE format('UPDATE t SET c = ' || operation || ' WHERE id = 2', put, value);
    SET LOCAL abelian.split = auto;
    EXECUTE format('UPDATE t SET c = ' || operation || ', note = ''o'' WHERE id = 3', put, value);
  END LOOP;
  SELECT string_agg(DISTINCT c::text, ' | ') INTO wanted FROM t;
  -- in slices, and not by waking the row
  EXECUTE format('EXPLAIN (FORMAT json) UPDATE t SET c = ' || operation, puts[1], value) INTO put;
  DROP TABLE t;
  RETURN wanted || CASE WHEN put LIKE '%AbelianOperation%' THEN '' ELSE ', not as an operation' END;
END $$;
SELECT as_plain('abelian.max_date', 'date', 'greatest', '2024-02-29', '2023-01-01', '-infinity') AS max_date, as_plain('abelian.min_date', 'date', 'least', '2024-02-29', '2023-01-01') AS min_date;
SELECT as_plain('abelian.max_timestamp', 'timestamp', 'greatest', '2024-02-29 12:00', '2024-02-29 11:00') AS max_timestamp, as_plain('abelian.min_timestamp', 'timestamp', 'least', '2024-02-29', 'infinity') AS min_timestamp;
SELECT as_plain('abelian.max_interval', 'interval', 'greatest', '1 hour', '1 day', '23 hours') AS max_interval, as_plain('abelian.min_interval', 'interval', 'least', '1 hour', '-1 month') AS min_interval;
SELECT as_plain('abelian.max_int4', 'int4', 'greatest', '-5', '2147483647', '7') AS max_int4, as_plain('abelian.min_int4', 'int4', 'least', '-5', '7') AS min_int4;
SELECT as_plain('abelian.max_float8', 'float8', 'greatest', '1.5', 'Infinity', '-1') AS max_float8, as_plain('abelian.min_float8', 'float8', 'least', '1.5', '-1e300', 'NaN') AS min_float8;
SELECT as_plain('abelian.max_uuid', 'uuid', 'greatest', '00000000-0000-0000-0000-000000000001', 'f0000000-0000-0000-0000-000000000000', '10000000-0000-0000-0000-000000000000') AS max_uuid,
       as_plain('abelian.min_uuid', 'uuid', 'least', 'f0000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001') AS min_uuid;
SELECT as_plain('abelian.sum_interval', 'interval', '', '1 hour', '30 minutes', '1 month') AS sum_interval;
SELECT as_plain('best_mood', 'mood', '', 'fair', 'good', 'bad') AS best_mood, as_plain('worst_version', 'integer[]', '', '{1,10}', '{1,9}', '{2}') AS worst_version,
       as_plain('any_true', 'boolean', 'greatest', 'f', 't', 'f') AS any_true, as_plain('span', 'int8range', '', '[1,2)', '[1,5)') AS span;
SELECT as_plain('last_name', 'text', '', 'Zoe', 'anna', 'Bob') AS last_name, as_plain('first_name', 'text', '', 'a', 'A', 'b') AS first_name;
-- greatest() under another collation than the type's is no operation, and right.
SELECT as_plain('last_name', 'text', 'greatest', 'Zoe', 'anna') AS last_name;
-- windows, order, casts
CREATE TABLE d (id int PRIMARY KEY, c abelian.max_date, i abelian.max_interval, n abelian.max_int4);
INSERT INTO d VALUES (1, '2024-01-01', '1 hour', 1), (2, '2024-01-03', '2 hours', 2), (3, '2024-02-01', NULL, 4);
SELECT id, count(*) OVER (ORDER BY c RANGE '2 days' PRECEDING), count(*) OVER (ORDER BY n RANGE 1 PRECEDING), c + 1 AS next, i * 2 AS twice, n % 2 AS odd FROM d ORDER BY c DESC;
ALTER TABLE d ALTER c TYPE date, ALTER n TYPE int;
ALTER TABLE d ALTER c TYPE abelian.min_date, ALTER n TYPE abelian.min_int4;
SELECT c, n FROM d ORDER BY n;
-- What cannot be.
\set SHOW_CONTEXT never
SELECT abelian.create_type('nowhere', 'max(point)');
SELECT abelian.create_type('nowhere', 'max(text COLLATE nothing)');
SELECT abelian.create_type('nowhere', 'max(integer COLLATE "C")');
SELECT abelian.create_type('nowhere', 'sum(uuid)');
SET ROLE app;
SELECT abelian.create_type('nowhere', 'max(mood)');
SELECT abelian.make_extremum('public', 'nowhere', 'max', 'mood', NULL);
RESET ROLE;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'nowhere%';
DROP AGGREGATE best_mood_of(mood) CASCADE;
