-- Windows of RANGE with an offset over Abelian columns, as over their values.
\pset format unaligned
\pset tuples_only on
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, m abelian.max, t abelian.max_timestamptz);
INSERT INTO t SELECT i, i * i, i / 2.0, i, timestamptz '2020-01-01 00:00:00Z' + i * interval '1 hour' FROM generate_series(1, 6) i;
INSERT INTO t VALUES (7, NULL, NULL, NULL, NULL);
SET abelian.split = always;
UPDATE t SET c = c + 1, d = d + 1;
SELECT id, array_agg(id) OVER (ORDER BY c RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) FROM t ORDER BY id;
SELECT id, array_agg(id) OVER (ORDER BY c DESC NULLS FIRST RANGE BETWEEN 5::smallint PRECEDING AND 8::bigint FOLLOWING) FROM t ORDER BY id;
SELECT id, array_agg(id) OVER (ORDER BY d RANGE BETWEEN 0.5 PRECEDING AND 0.5 FOLLOWING) FROM t ORDER BY id;
SELECT id, array_agg(id) OVER (ORDER BY m RANGE 1 PRECEDING), array_agg(id) OVER (ORDER BY t RANGE '1 hour' PRECEDING) FROM t ORDER BY id;
SELECT sum(c) OVER (ORDER BY c RANGE BETWEEN -1 PRECEDING AND CURRENT ROW) FROM t;
