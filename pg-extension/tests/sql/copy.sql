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
