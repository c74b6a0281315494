-- as: abelian
-- A node refuses rows that belong to another one, by whatever statement and connection they come; and changes of distribution columns.
\set VERBOSITY terse
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET abelian.placement_version = 1000;
SET abelian.node_id = 2;
SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2), abelian.add_node('127.0.0.1', 3);
CREATE TABLE orders (note text, warehouse int, PRIMARY KEY (warehouse));
CREATE TABLE pair (a int, b text, n int, UNIQUE (a, b));
CREATE TABLE decade (year int, n int);
CREATE TABLE hashed (k bigint);
CREATE TABLE uploads (id uuid);
CREATE TABLE known (k date);
CREATE TABLE parts (n int, k int) PARTITION BY RANGE (n);
CREATE TABLE parts_1 (k int, n int);
CREATE TABLE worded (n int, k text) PARTITION BY RANGE (n);
CREATE TABLE worded_1 (k text, n int);
ALTER TABLE worded ATTACH PARTITION worded_1 FOR VALUES FROM (0) TO (10);
CREATE TABLE low (k numeric(9, 0));
CREATE TABLE alike (k int);
CREATE TABLE source (a int, b text);
INSERT INTO source VALUES (1, 'x'), (2, 'x');
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES FROM (0) TO (10);
SELECT create_distributed_table('orders', 'warehouse', 'range', rule => 'WHEN warehouse < 100 THEN 0 WHEN warehouse < 200 THEN 1 WHEN warehouse < 300 THEN 2');
SELECT create_distributed_table('pair', 'a, b', 'rules', rule => $$ WHEN a = 1 AND b = 'x' THEN 1 ELSE 0 $$);
SELECT create_distributed_table('decade', 'year / 10', 'list', rule => 'WHEN year / 10 = 199 THEN 1 ELSE 0');
SELECT create_distributed_table('hashed', 'k');
SELECT create_distributed_table('uploads', 'id');
SELECT create_distributed_table('known', 'k', 'lookup', rule => 'ELSE 0');
SELECT create_distributed_table('parts', 'k');
SELECT create_distributed_table('worded', 'k');
SELECT create_distributed_table('low', 'k');
SELECT create_reference_table('alike');
SELECT abelian.place_key('known', '2026-11-23', 12);

-- as a router's statement, and as one of somebody who is connected directly
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END $$;
INSERT INTO orders VALUES ('', 100);
INSERT INTO orders VALUES ('', 99);
RESET abelian.placement_version;
RESET abelian.node_id;
\set VERBOSITY default
INSERT INTO orders VALUES ('', 99);
\set VERBOSITY terse
INSERT INTO orders VALUES ('', 101), ('', 300);
INSERT INTO orders VALUES ('', NULL);
INSERT INTO orders VALUES ('', 102), ('', 103);
INSERT INTO orders (warehouse) SELECT generate_series(104, 199);
INSERT INTO orders (warehouse) SELECT generate_series(199, 200) ON CONFLICT DO NOTHING;
INSERT INTO orders VALUES ('', 100) ON CONFLICT (warehouse) DO UPDATE SET note = 'again';
INSERT INTO orders VALUES ('', 100) ON CONFLICT (warehouse) DO UPDATE SET warehouse = 120;
INSERT INTO orders VALUES ('', 100) ON CONFLICT (warehouse) DO UPDATE SET warehouse = 199;
INSERT INTO orders VALUES ('', 100) ON CONFLICT (warehouse) DO UPDATE SET warehouse = 200;
INSERT INTO orders VALUES ('', 100) ON CONFLICT (warehouse) DO UPDATE SET warehouse = excluded.warehouse RETURNING warehouse;
UPDATE orders SET note = 'changed' WHERE warehouse = 100;
\set VERBOSITY default
UPDATE orders SET warehouse = 201 WHERE warehouse = 100;
\set VERBOSITY terse
WITH changed AS (UPDATE orders SET warehouse = 201 RETURNING warehouse) SELECT count(*) FROM changed;
WITH added AS (INSERT INTO orders VALUES ('', 1) RETURNING warehouse) SELECT count(*) FROM added;
PREPARE add(int) AS INSERT INTO orders VALUES ('prepared', $1);
DELETE FROM orders WHERE warehouse IN (150, 151, 152);
EXECUTE add(150);
EXECUTE add(250);
EXECUTE add(151);
EXPLAIN (COSTS OFF) INSERT INTO orders VALUES ('', 1);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) INSERT INTO orders VALUES ('', 1);
SELECT try('INSERT INTO orders VALUES (NULL, 152)'), try('INSERT INTO orders VALUES (NULL, 252)'), try('UPDATE orders SET warehouse = 1');
SELECT count(*), min(warehouse), max(warehouse) FROM orders;

-- several columns, expressions, lookups
INSERT INTO pair VALUES (1, 'x'), (1, 'x ');
INSERT INTO pair VALUES (1, 'x');
INSERT INTO pair VALUES (1, NULL);
UPDATE pair SET n = 1;
UPDATE pair SET b = 'x';
INSERT INTO decade VALUES (1990), (1999);
INSERT INTO decade VALUES (2000);
UPDATE decade SET year = 1991;
INSERT INTO known VALUES ('2026-11-23');
INSERT INTO known VALUES ('2026-11-24');
INSERT INTO low VALUES ('NaN');
INSERT INTO alike VALUES (1);

-- rows with NULL are those of one partition; of several distribution columns, none may be NULL
SELECT abelian.node_of('decade', NULL), abelian.partition_of('hashed', NULL), abelian.node_of('pair', '1', NULL), abelian.node_of('orders', NULL);
INSERT INTO decade VALUES (NULL, 1);
INSERT INTO hashed SELECT nullif(1, 1);
MERGE INTO hashed USING (SELECT NULL::bigint AS k) s ON hashed.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k);
COPY hashed FROM STDIN;
\N
\.
COPY pair (a, b) FROM STDIN;
1	\N
\.

-- MERGE; into partitions it is not watched
MERGE INTO worded USING (SELECT 7 AS n, 'a' AS k) s ON worded.n = s.n AND worded.k = s.k WHEN NOT MATCHED THEN INSERT (n, k) VALUES (s.n, s.k);
SELECT n, k FROM worded;
MERGE INTO pair USING source s ON pair.a = s.a AND pair.b = s.b WHEN MATCHED THEN UPDATE SET n = 2 WHEN NOT MATCHED AND s.a < 2 THEN INSERT VALUES (s.a, s.b);
MERGE INTO pair USING source s ON pair.a = s.a AND pair.b = s.b WHEN MATCHED THEN UPDATE SET n = 3 WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b);
MERGE INTO pair USING source s ON pair.a = s.a AND pair.b = s.b WHEN MATCHED THEN UPDATE SET a = 3;
DELETE FROM pair;
MERGE INTO pair USING (SELECT 1 AS a, 'x' AS b FROM generate_series(1, 1) UNION ALL SELECT 1, 'y') s ON pair.a = s.a AND pair.b = s.b WHEN NOT MATCHED THEN INSERT (b, a) VALUES (s.b, s.a);
MERGE INTO pair USING (SELECT 1 AS a, 'x' AS b) s ON pair.a = s.a AND pair.b = s.b WHEN NOT MATCHED THEN INSERT (b, a) VALUES (s.b, s.a);
SELECT * FROM pair;

-- partitions, whose columns stand in another order
SELECT abelian.node_of('parts', k::text) FROM generate_series(0, 4) k;
INSERT INTO parts (n, k) VALUES (5, 2);
INSERT INTO parts (n, k) VALUES (2, 4);
INSERT INTO parts_1 (n, k) VALUES (2, 4);
INSERT INTO parts_1 (n, k) VALUES (3, 1);
SELECT tableoid::regclass, * FROM parts;

-- COPY
COPY orders FROM STDIN;
copied	200
\.
DELETE FROM orders;
COPY orders (warehouse) FROM STDIN;
160
161
\.
COPY orders (warehouse) FROM STDIN;
162
99
\.
COPY orders (note) FROM STDIN;
no key
\.
COPY orders FROM STDIN (FORMAT csv) WHERE warehouse < 200;
x,170
x,270
\.
COPY orders FROM STDIN (FORMAT csv) WHERE warehouse > 200 OR note = 'y';
x,171
y,272
\.
COPY pair (b, a) FROM STDIN (FORMAT csv);
x,2
\.
COPY parts FROM STDIN;
5	2
\.
COPY alike FROM STDIN;
1
\.
COPY uploads FROM STDIN;
a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11
\.
SELECT abelian.node_of('uploads', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
SELECT warehouse FROM orders ORDER BY 1;
-- who may write but not read may load
CREATE ROLE loader;
GRANT INSERT ON orders TO loader;
SET ROLE loader;
COPY orders (warehouse) FROM STDIN;
180
\.
COPY orders (warehouse) FROM STDIN;
280
\.
INSERT INTO orders (warehouse) VALUES (181);
INSERT INTO orders (warehouse) VALUES (281);
RESET ROLE;
SELECT try('COPY orders FROM PROGRAM ''printf "x\\t5\\n"''');
-- of one column that is hashed, every third row is this node's
SELECT count(*) FROM generate_series(1, 1000) k WHERE abelian.node_of('hashed', k::text) = 2;
INSERT INTO hashed SELECT k FROM generate_series(1, 1000) k WHERE abelian.node_of('hashed', k::text) = 2;
SELECT count(*) FROM generate_series(1, 1000) k WHERE try(format('INSERT INTO hashed VALUES (%s)', k)) = 'done';
-- nobody else than COPY calls its condition
SELECT abelian.check_own_row('orders'::regclass, 150), abelian.check_own_row('alike'::regclass, 1);
SELECT abelian.check_own_row('orders'::regclass, 250);
SELECT abelian.check_own_row('orders'::regclass, VARIADIC ARRAY[150]);
SELECT abelian.check_own_row('orders'::regclass, NULL::int);
SELECT abelian.check_own_row('orders'::regclass, 'x'::text);

-- a reference table whose keys change does not take others along
CREATE TABLE currency (code int PRIMARY KEY);
CREATE TABLE price (code int REFERENCES currency ON UPDATE CASCADE);
SET abelian.placement_version = 1000;
SET abelian.node_id = 2;
SELECT create_reference_table('currency');
SELECT create_distributed_table('price', 'code', 'list', rule => 'WHEN code = 1 THEN 1 ELSE 0');
INSERT INTO currency VALUES (1);
INSERT INTO price VALUES (1);
UPDATE currency SET code = 2;
RESET abelian.placement_version;
UPDATE currency SET code = 2;
SELECT * FROM price;
DELETE FROM price;
UPDATE currency SET code = 2;
