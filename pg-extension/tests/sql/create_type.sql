-- as: abelian
-- abelian.create_type makes a column type of any parallel-safe aggregate, or says why it cannot.
\pset null NULL
SELECT abelian.create_type('high_bid', 'max(numeric)');
SELECT abelian.create_type('public.mean', 'avg(bigint)');
SELECT abelian.create_type('spread', 'stddev_pop(float8)');
SELECT abelian.create_type('hits', 'count(*)');
SELECT abelian.create_type('flags', 'bit_or(integer)');
SELECT abelian.create_type('points', 'regr_count(float8, float8)');
CREATE TABLE t (id int PRIMARY KEY, bid high_bid, mean mean, spread spread, hits hits, flags flags, points points);
INSERT INTO t (id, bid) VALUES (1, 1.5), (2, '-Infinity'), (3, NULL);
SET abelian.split = always;
UPDATE t SET bid = greatest(bid, 2.25), mean = abelian.add(mean, 10), spread = abelian.add(spread, 1), hits = abelian.add(hits), flags = abelian.add(flags, 4),
  points = abelian.add(points, 1, 2);
UPDATE t SET bid = abelian.add(bid, 2), mean = abelian.add(mean, 21), spread = abelian.add(spread, 5), hits = abelian.add(abelian.add(hits)), flags = abelian.add(flags, id),
  points = abelian.add(points, NULL, 2);
SELECT * FROM t ORDER BY id;
SELECT count(*) FROM abelian.slice;
SELECT sum(hits), max(mean), round(sum(spread)), bool_and(bid > 2), min(flags) FROM t;
-- What is read is the value; what is written down is the state.
SELECT mean, mean::text, 'about ' || mean, hits::text, bid::text FROM t WHERE id = 1;
COPY t (id, mean, hits) TO stdout;
SELECT pg_typeof(bid), pg_typeof(mean) FROM t WHERE id = 1;
CREATE TABLE copy (LIKE t);
\copy t to program 'cat > /tmp/abelian_types.copy'
\copy copy from program 'cat /tmp/abelian_types.copy; rm /tmp/abelian_types.copy'
UPDATE copy SET mean = abelian.add(mean, 2);
SELECT id, mean, spread, hits, points FROM copy ORDER BY id;
\copy t to program 'cat > /tmp/abelian_types.copy' (format binary)
TRUNCATE copy;
\copy copy from program 'cat /tmp/abelian_types.copy; rm /tmp/abelian_types.copy' (format binary)
SELECT id, bid, mean, spread, hits, flags, points FROM copy ORDER BY id;
-- As new objects and as values.
CREATE TABLE made AS SELECT id, bid, mean FROM t;
UPDATE made SET mean = abelian.add(mean, 1000) WHERE id = 1;
SELECT made.mean, t.mean FROM made JOIN t USING (id) WHERE id = 1;
-- An aggregate of one's own.
CREATE FUNCTION longer(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN (length($1), $1) > (length($2), $2) THEN $1 ELSE $2 END $$;
CREATE AGGREGATE longest(text) (SFUNC = longer, STYPE = text, COMBINEFUNC = longer, INITCOND = '', PARALLEL = SAFE);
SELECT abelian.create_type('longest_name', 'longest(text)');
ALTER TABLE t ADD longest longest_name;
UPDATE t SET longest = abelian.add(longest, repeat('x', id));
UPDATE t SET longest = abelian.add(longest, 'yy');
UPDATE t SET longest = abelian.add(longest, repeat('long ', 5000)) WHERE id = 3;
UPDATE t SET longest = abelian.add(longest, repeat('longer ', 50000)) WHERE id = 3;
SELECT id, left(longest, 10), length(longest) FROM t ORDER BY id;
-- The type goes with its aggregate.
DROP AGGREGATE longest(text);
DROP AGGREGATE longest(text) CASCADE;
SELECT count(*) FROM information_schema.columns WHERE table_name = 't' AND column_name = 'longest';
SELECT count(*) FROM abelian.slice WHERE type NOT IN (SELECT oid FROM pg_type);
-- What cannot be.
\set SHOW_CONTEXT never
SELECT abelian.create_type('x', 'nothing(int)');
SELECT abelian.create_type('x', 'lower(text)');
SELECT abelian.create_type('x', 'array_agg(anynonarray)');
SELECT abelian.create_type('x', 'max(anyarray)');
SELECT abelian.create_type('x', 'json_agg(anyelement)');
SELECT abelian.create_type('x', 'percentile_disc(float8, anyelement)');
SELECT abelian.create_type('x', 'xmlagg(xml)');
CREATE AGGREGATE serial_only(int) (SFUNC = int4pl, STYPE = int, PARALLEL = SAFE);
SELECT abelian.create_type('x', 'serial_only(int)');
CREATE AGGREGATE unsafe(int) (SFUNC = int4pl, STYPE = int, COMBINEFUNC = int4pl);
SELECT abelian.create_type('x', 'unsafe(int)');
SELECT abelian.create_type('t', 'max(int)');
INSERT INTO t (id, mean) VALUES (9, 'nonsense');
INSERT INTO t (id, mean) VALUES (9, '\x01');
INSERT INTO t (id, bid) VALUES (9, 'nonsense');
SET ROLE app;
SELECT abelian.create_type('x', 'max(int)');
SELECT abelian.make_type('public', 'x', 'max(int)');
CREATE FUNCTION mine(int, int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1';
CREATE AGGREGATE my_own(int) (SFUNC = mine, STYPE = int, COMBINEFUNC = mine, PARALLEL = SAFE);
RESET ROLE;
SELECT abelian.create_type('x', 'my_own(int)');
SECURITY LABEL FOR abelian ON TYPE high_bid IS 'nonsense';
SECURITY LABEL FOR abelian ON FUNCTION lower(text) IS 'nonsense';
SECURITY LABEL FOR abelian ON TABLE t IS 'operation';
