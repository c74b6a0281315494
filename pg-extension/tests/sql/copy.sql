-- COPY both ways, text and binary, moves values; what it loads are new objects.
\pset format unaligned
\pset tuples_only on
SET abelian.split = always;
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT '3', d abelian.decimal_counter DEFAULT 4);
COPY t FROM stdin;
1	10	1.50
2	\N	-2
\.
COPY t (id) FROM stdin;
3
4
\.
UPDATE t SET c = c + 1, d = d + 1;
UPDATE t SET c = c + 1, d = d + 1 WHERE id <> 4;
COPY t TO stdout;
COPY (SELECT * FROM t WHERE id < 3) TO stdout (FORMAT csv, HEADER);
CREATE TABLE u (LIKE t INCLUDING DEFAULTS);
\copy t to program 'cat > /tmp/abelian_copy.bin' (format binary)
\copy u from program 'cat /tmp/abelian_copy.bin; rm /tmp/abelian_copy.bin' (format binary)
UPDATE u SET c = c + 100 WHERE id = 3;
SELECT * FROM u ORDER BY id;
SELECT * FROM t ORDER BY id;
-- Many can operate at once on what is loaded: it has an identity of its own, whatever the format, in a column of a domain, too.
-- A constant that a trigger reads meanwhile has none.
CREATE DOMAIN tags AS abelian.set;
CREATE TABLE v (id int, c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter(0, 9), k abelian.top_k, s abelian.set, m tags);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% has %', NEW.id, abelian.object_of('{b}'::abelian.set);
  RETURN NEW;
END $$;
CREATE TRIGGER tell BEFORE INSERT ON v FOR EACH ROW EXECUTE FUNCTION tell();
COPY v FROM stdin;
1	10	1.5	2	{"k": 3, "top": []}	{a}	{b}
2	10	1.5	2	{"k": 3, "top": []}	{a}	{b}
\.
COPY v FROM stdin (FORMAT csv, DELIMITER ';');
3;10;1.5;2;"{""k"": 3, ""top"": []}";{a};{b}
\.
\copy v to program 'cat > /tmp/abelian_copy.bin' (format binary)
\copy v from program 'cat /tmp/abelian_copy.bin; rm /tmp/abelian_copy.bin' (format binary)
SELECT count(*), count(DISTINCT i), min(i) > 0
  FROM v, unnest(ARRAY[abelian.object_of(k), abelian.object_of(s), abelian.object_of(m::abelian.set)]) i;
SELECT c, d, b, k, s, m FROM v WHERE id = 3 LIMIT 1;
CREATE TEMP TABLE w (c abelian.set);
BEGIN READ ONLY;
COPY w FROM stdin;
{a}
\.
SELECT c, abelian.object_of(c) FROM w;
COMMIT;
-- What COPY reads into arrays, rows and ranges are values, as everywhere; and so is a constant of COPY TO.
CREATE TYPE tagged AS (id int, tags abelian.set);
CREATE TABLE x (a abelian.set[], r tagged, s abelian.set);
COPY x FROM stdin;
{"{a}","{b}"}	(1,{c})	{d}
\.
SELECT abelian.object_of(a[1]), abelian.object_of((r).tags), abelian.object_of(s), x FROM x;
COPY (SELECT abelian.object_of('{a}'::abelian.set) FROM generate_series(1, 2)) TO stdout;
