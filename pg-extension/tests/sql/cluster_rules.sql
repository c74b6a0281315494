-- as: abelian
-- Placement by several columns, expressions, ranges, lists, rules and lookups: what is recorded, what is computed, what is refused.
\set VERBOSITY terse
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET abelian.placement_version = 1000;
SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2), abelian.add_node('127.0.0.1', 3);
SET abelian.node_id = 1;
CREATE TABLE orders (warehouse int, id bigint, PRIMARY KEY (warehouse, id));
CREATE TABLE line (warehouse bigint, id bigint, n int, PRIMARY KEY (warehouse, id, n));
CREATE TABLE shop (country text PRIMARY KEY);
CREATE TABLE visit (region smallint, kind char(3), at date, seen boolean, who uuid, PRIMARY KEY (region, kind));
CREATE TABLE pair (a int, b text, c int, UNIQUE (b, c, a));
CREATE TABLE decade (year int, name varchar(10), UNIQUE (year, name));
CREATE TABLE known (k text PRIMARY KEY);

-- each method
SELECT create_distributed_table('orders', 'warehouse', 'range', rule => 'WHEN warehouse < 100 THEN 0 WHEN warehouse < 200 THEN 1 ELSE 2');
SELECT node_id FROM abelian.own_node;
SELECT create_distributed_table('line', 'warehouse', colocate_with => 'orders');
SELECT create_distributed_table('shop', 'country', 'list', rule => $$ WHEN country IN ('de', 'at') THEN 0 WHEN country = 'fr' THEN 1 ELSE HASH $$);
SELECT create_distributed_table('visit', 'region, kind', 'rules', rule => $$
  WHEN region < 10 AND kind = 'x ' THEN 0 -- a remark
  WHEN region BETWEEN 10 AND 19 AND 'b' <= kind THEN 2
  ELSE HASH(region) $$, shard_count => 7);
SELECT create_distributed_table('pair', 'a, b');
SELECT create_distributed_table('decade', 'year / 10, left(name, 2)', colocate_with => 'none', partition_count => 5);
SELECT create_distributed_table('known', 'k', 'lookup', rule => 'ELSE 3');
SELECT * FROM abelian.distributed_tables ORDER BY relation::text;
SELECT relation, method, column_name, columns FROM abelian.placement ORDER BY relation::text;
SELECT colocation_id, method, key_type, partition_count, rule FROM abelian.colocation ORDER BY 1;
SELECT * FROM abelian.partitions WHERE colocation_id = (SELECT colocation_id FROM abelian.placement WHERE relation = 'orders'::regclass) ORDER BY 2;

-- where rows lie
SELECT k, abelian.partition_of('orders', k), abelian.node_of('line', k) FROM unnest('{-5,99,100,199,200," 7 "}'::text[]) k;
SELECT k, abelian.partition_of('shop', k) FROM unnest('{de,at,fr,DE,"de "}'::text[]) k;
SELECT r, k, abelian.partition_of('visit', r, k) FROM (VALUES ('9', 'x'), ('9', 'x  '), ('9', 'y'), ('10', 'b'), ('19', 'zz'), ('20', 'b'), ('10', 'a')) v(r, k);
SELECT abelian.partition_of('pair', '1', 'x'), abelian.partition_of('pair', '1', 'y'), abelian.partition_of('pair', NULL, 'y');
-- equal values of types that have nothing but the hash
CREATE DOMAIN price AS numeric(8, 1);
CREATE TABLE exact (k numeric); CREATE TABLE near (k real); CREATE TABLE moment (k timestamptz); CREATE TABLE bytes (k bytea); CREATE TABLE priced (k price);
SELECT create_distributed_table(t, 'k', colocate_with => 'none') FROM (VALUES ('exact'), ('near'), ('moment'), ('bytes'), ('priced')) v(t);
SELECT k, abelian.partition_of('exact', k) FROM (VALUES ('1'), ('1.00'), ('1e2'), ('100'), ('0'), ('-0.0'), ('NaN'), ('-inf'), ('1.5')) v(k);
SELECT k, abelian.partition_of('near', k) FROM (VALUES ('0'), ('-0'), ('NaN'), ('1'), ('1e0'), ('0.1'), ('0.10000000149011612')) v(k);
SELECT k, abelian.partition_of('moment', k) FROM (VALUES ('2024-01-01 00:00+00'), ('2024-01-01 05:30+05:30'), ('infinity'), ('2024-01-01 00:00:00.000001+00')) v(k);
SELECT k, abelian.partition_of('bytes', k) FROM (VALUES ('a'), ('\x61'), ('\141'), ('')) v(k);
SELECT k, abelian.partition_of('priced', k) FROM (VALUES ('1'), ('1.0')) v(k);
DROP TABLE exact, near, moment, bytes, priced;
DROP DOMAIN price;
SELECT abelian.partition_of('decade', '1995', 'Ünal') = abelian.partition_of('decade', '1999', 'Üngür'), abelian.partition_of('decade', '-9', 'a') = abelian.partition_of('decade', '9', 'a');
SELECT abelian.partition_of('known', 'a'), abelian.node_of('known', 'a');
-- a single column is hashed as ever
CREATE TABLE plain (k bigint);
SELECT create_distributed_table('plain', 'k');
SELECT abelian.partition_of('plain', k::text) FROM generate_series(-1, 2) k;
SELECT abelian.partition_of('plain', '1', '2');
SELECT abelian.partition_of('plain', 'x');
SELECT abelian.partition_of('pg_class', '1');

-- a lookup's keys
SELECT abelian.place_key('known', 'a', 30), abelian.place_key('known', 'b', 0);
SELECT key, partition FROM abelian.lookup_entry ORDER BY 1;
SELECT k, abelian.partition_of('known', k) FROM unnest('{a,b,c}'::text[]) k;
SELECT abelian.place_key('known', 'c', 32);
SELECT abelian.place_key('known', NULL, 3);
SELECT abelian.place_key('orders', '1', 1);
INSERT INTO known VALUES ('b'), ('c');
SELECT abelian.place_key('known', 'b', 1);
SELECT abelian.place_key('known', 'b', 31);
SELECT abelian.unplace_key('known', 'b');
SELECT abelian.place_key('known', 'c', 31);
SELECT abelian.place_key('known', 'd', 31);
DELETE FROM known;
SELECT abelian.place_key('known', 'b', 31), abelian.unplace_key('known', 'd');
SELECT abelian.unplace_key('known', 'd');
SELECT abelian.partition_of('known', 'b'), abelian.partition_of('known', 'd');
CREATE TABLE day (d date);
SELECT create_distributed_table('day', 'd', 'lookup');
SELECT abelian.place_key('day', '2026-11-23', 4), abelian.place_key('day', 'infinity', 5);
SELECT abelian.place_key('day', 'today', 4);
SELECT abelian.place_key('day', '2026-02-30', 4);
SET datestyle = 'German';
SELECT d, abelian.partition_of('day', d) FROM unnest('{2026-11-23,infinity}'::text[]) d;
RESET datestyle;
CREATE ROLE stranger LOGIN;
GRANT CREATE ON SCHEMA public TO stranger;
SET SESSION AUTHORIZATION stranger;
SELECT abelian.place_key('known', 'z', 1);
RESET SESSION AUTHORIZATION;
GRANT abelian_router TO stranger;
SET SESSION AUTHORIZATION stranger;
SELECT abelian.place_key('known', 'z', 1);
SELECT abelian.place_entry('known', 'z', 1);
SELECT abelian.unplace_key('known', 'a');
CREATE TABLE joiner (k text);
SELECT create_distributed_table('joiner', 'k', colocate_with => 'known');
RESET SESSION AUTHORIZATION;

-- rules that are refused
CREATE TABLE t (a int, b text, d date, u uuid, f boolean, n numeric(19, 0), x double precision);
\set VERBOSITY default
SELECT create_distributed_table('t', 'a', 'orders');
SELECT create_distributed_table('t', 'a', 'reference');
SELECT create_distributed_table('t', 'a', 'range');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 )');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 OR a > 5 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0', colocate_with => 'orders');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 5', partition_count => 5);
\set VERBOSITY terse
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 END, CASE WHEN a < 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 END FROM t WHERE 1 = CASE WHEN a < 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 END + CASE WHEN a < 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 END; DROP TABLE t; SELECT CASE WHEN a < 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < b THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 + 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < $1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a <> 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a NOT IN (1) THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < NULL THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < ''x'' THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1.5 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 99999999999999999999 THEN 0');
SELECT create_distributed_table('t', 'b', 'range', rule => 'WHEN b < 5 THEN 0');
SELECT create_distributed_table('t', 'd', 'range', rule => 'WHEN d < date ''today'' THEN 0');
SELECT create_distributed_table('t', 'd', 'range', rule => 'WHEN d < timestamp ''2026-01-01'' THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN b < ''x'' THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN -1');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 65536');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN ''0''');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN HASH');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 ELSE HASH(b)');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a < 1 THEN 0 ELSE now()');
SELECT create_distributed_table('t', 'a', 'range', rule => 'WHEN a IN (1, 2) THEN 0');
SELECT create_distributed_table('t', 'a', 'list', rule => 'WHEN a > 1 THEN 0');
SELECT create_distributed_table('t', 'a, b', 'range', rule => 'WHEN a > 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'rules', rule => 'ELSE 1');
SELECT create_distributed_table('t', 'a', 'lookup', rule => 'WHEN a > 1 THEN 0');
SELECT create_distributed_table('t', 'a', rule => 'WHEN a > 1 THEN 0');
SELECT create_distributed_table('t', 'a', partition_count => 3, shard_count => 3);
SELECT create_distributed_table('t', 'a', partition_count => 0);
SELECT create_distributed_table('t', 'n', 'range', rule => 'WHEN n > 1 THEN 0');
SELECT create_distributed_table('t', 'n', 'lookup');
SELECT create_distributed_table('t', 'x', 'range', rule => 'WHEN x < 1 THEN 0');
SELECT create_distributed_table('t', 'x', 'lookup');
SELECT create_distributed_table('t', 'a, a / 10');
SELECT create_distributed_table('t', 'a + 1');
SELECT create_distributed_table('t', 'a / 0');
SELECT create_distributed_table('t', 'n / 10');
SELECT create_distributed_table('t', 'left(a, 1)');
SELECT create_distributed_table('t', 'a FROM t');
SELECT create_distributed_table('t', 'a,');
SELECT create_distributed_table('t', '');
SELECT create_distributed_table('t', NULL);
SELECT create_distributed_table('t', 'a,b,d,u,f,n,a,b,d');
SELECT create_distributed_table('t', 'a / 10', 'range', rule => 'WHEN a < 1 THEN 0');
SELECT create_distributed_table('t', 'a', 'range', rule => (SELECT string_agg('WHEN a = ' || i || ' THEN 0', ' ') FROM generate_series(0, 10000) i));
-- of every kind
SELECT create_distributed_table('t', 'a / 10, d, u, f, b', 'rules', rule => $$
  WHEN a / 10 < -3 AND d >= DATE '2026-11-23' AND u = '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}'::uuid AND f = true AND b > 'it''s' THEN 1
  WHEN f = 'f' AND b IN ('x', '%') THEN 0 $$);
SELECT rule FROM abelian.distributed_tables WHERE relation = 't'::regclass;
SELECT abelian.partition_of('t', '-40', '2026-11-23', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'true', 'itz'), abelian.partition_of('t', '-39', '2026-11-23', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'true', 'itz');
-- a column whose name is no plain word is taken as it is
CREATE TABLE odd ("Key, a" int, "END" int);
SELECT create_distributed_table('odd', 'Key, a', colocate_with => 'none');
SELECT undistribute_table('odd');
SELECT create_distributed_table('odd', '"Key, a", "END" % 7', 'rules', rule => 'WHEN "Key, a" = 1 AND "END" % 7 < 3 THEN 2');
SELECT columns, rule FROM abelian.distributed_tables WHERE relation = 'odd'::regclass;

-- constraints
CREATE UNIQUE INDEX ON pair (a, c);
CREATE UNIQUE INDEX ON pair (a) INCLUDE (b);
CREATE UNIQUE INDEX ON pair (b, a);
ALTER TABLE pair DROP COLUMN a;
ALTER TABLE pair ALTER b TYPE int USING 1;
ALTER TABLE decade ALTER year TYPE numeric(10, 0);
ALTER TABLE orders ALTER warehouse TYPE numeric(19, 0);
ALTER TABLE orders ALTER warehouse TYPE numeric(18, 0);
ALTER TABLE orders ALTER warehouse TYPE int;
ALTER TABLE line ADD FOREIGN KEY (warehouse, id) REFERENCES orders;
CREATE TABLE child (a int, b text, c int, FOREIGN KEY (c, b, a) REFERENCES pair (c, b, a));
SELECT create_distributed_table('child', 'a, b', colocate_with => 'pair');
CREATE TABLE stepchild (a int, b text, c int, FOREIGN KEY (a, b, c) REFERENCES pair (c, b, a));
SELECT create_distributed_table('stepchild', 'a, b', colocate_with => 'pair');
CREATE TABLE other (year int, decade int, name varchar(10), FOREIGN KEY (year, name) REFERENCES decade (year, name));
SELECT create_distributed_table('other', 'decade, name', colocate_with => 'decade');
SELECT create_distributed_table('other', 'year / 10, name', colocate_with => 'decade');
SELECT create_distributed_table('other', 'year / 10, left(name, 2)', colocate_with => 'decade');
CREATE TABLE single (k int);
SELECT create_distributed_table('single', 'k', colocate_with => 'pair');
CREATE PROCEDURE change(a int) LANGUAGE sql AS 'UPDATE pair SET c = 1 WHERE pair.a = change.a';
SELECT create_distributed_procedure('change(int)', 'a', colocate_with => 'pair');

-- partitions of a table are where it is
CREATE TABLE parts (k int, j int) PARTITION BY LIST (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
SELECT create_distributed_table('parts', 'k, j', 'rules', rule => 'WHEN k = 1 THEN 1');
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
SELECT relation, columns FROM abelian.distributed_tables WHERE relation::text LIKE 'parts%' ORDER BY relation::text;

-- all of it goes to a new node, and into a dump
SELECT t FROM json_array_elements(abelian.catalog() -> 'tables') t WHERE t ->> 'name' IN ('decade', 'known', 'plain');
SELECT g -> 'method', g -> 'rule', g -> 'entries' FROM json_array_elements(abelian.catalog() -> 'colocations') g WHERE g ->> 'method' IN ('hash', 'lookup') ORDER BY (g ->> 'id')::int;
SELECT catalog::jsonb = abelian.catalog()::jsonb FROM abelian.catalog_for_dumps;
BEGIN;
CREATE TEMP TABLE saved AS SELECT abelian.catalog() AS catalog;
TRUNCATE abelian.node, abelian.colocation, abelian.partition, abelian.placement, abelian.lookup_entry, abelian.procedure;
SELECT abelian.install_catalog(catalog) FROM saved;
SELECT catalog::jsonb = abelian.catalog()::jsonb FROM saved;
COMMIT;
SELECT abelian.partition_of('visit', '9', 'x'), abelian.partition_of('known', 'a');

-- which statements are right on each node alone: joined by all columns, pair by pair, that have the same expressions
CREATE TABLE twin (b text, a int);
SELECT create_distributed_table('twin', 'a, b', colocate_with => 'pair');
CREATE TABLE years (y int, name varchar(10));
SELECT create_distributed_table('years', 'y, name', colocate_with => 'decade');
CREATE FUNCTION merged(statement text) RETURNS text LANGUAGE sql AS
  $$ SELECT coalesce(f -> 'merge' ->> 'reason', f -> 'merge' ->> 'mode') || CASE WHEN f ->> 'kind' = 'insert' THEN ' ' || coalesce(f -> 'insert' ->> 'key_links', '') ELSE '' END
       FROM json_array_elements(abelian.analyze(statement)) f $$;
SELECT merged('SELECT * FROM pair p JOIN twin t ON p.a = t.a AND p.b = t.b');
SELECT merged('SELECT * FROM pair p JOIN twin t USING (b, a)');
SELECT merged('SELECT * FROM pair p JOIN twin t ON p.a = t.a');
SELECT merged('SELECT * FROM pair p JOIN child c ON p.a = c.a JOIN twin t ON t.a = c.a AND t.b = p.b WHERE c.b = p.b');
SELECT merged('SELECT * FROM pair p LEFT JOIN twin t ON p.a = t.a AND p.b = t.b');
SELECT merged('SELECT * FROM pair p LEFT JOIN twin t ON p.a = t.a WHERE p.b = t.b');
SELECT merged('SELECT * FROM pair p FULL JOIN twin t ON p.a = t.a AND p.b = t.b');
SELECT merged('SELECT * FROM pair p FULL JOIN twin t ON p.a = t.a');
SELECT merged('SELECT * FROM pair p WHERE EXISTS (SELECT FROM twin t WHERE t.a = p.a AND t.b = p.b)');
SELECT merged('SELECT * FROM pair p WHERE EXISTS (SELECT FROM twin t WHERE t.a = p.a)');
SELECT merged('SELECT * FROM pair p, LATERAL (SELECT * FROM twin t WHERE t.a = p.a AND t.b = p.b LIMIT 1) x');
SELECT merged('SELECT * FROM pair p, LATERAL (SELECT * FROM twin t WHERE t.a = p.a LIMIT 1) x');
SELECT merged('SELECT a, b, count(*) FROM pair GROUP BY b, a');
SELECT merged('SELECT a, count(*) FROM pair GROUP BY a');
SELECT merged('SELECT DISTINCT a, b FROM pair'), merged('SELECT DISTINCT a FROM pair');
SELECT merged('SELECT a, b, sum(c) OVER (PARTITION BY b, a) FROM pair'), merged('SELECT a, sum(c) OVER (PARTITION BY a) FROM pair');
SELECT merged('SELECT count(DISTINCT a) FROM pair'), merged('SELECT count(DISTINCT k) FROM known');
SELECT merged('SELECT * FROM decade d JOIN other o ON d.year = o.year AND d.name = o.name');
SELECT merged('SELECT * FROM decade d JOIN years y ON d.year = y.y AND d.name = y.name');
SELECT merged('INSERT INTO twin SELECT b, a FROM pair');
SELECT merged('INSERT INTO twin SELECT b, a + 1 FROM pair');
SELECT merged('INSERT INTO twin SELECT p.b, c.a FROM pair p JOIN child c ON p.b = c.b');
SELECT merged('INSERT INTO years SELECT year, name FROM decade');
SELECT merged('INSERT INTO other SELECT year, 1, name FROM decade');

-- a body whose tables lie by different expressions over the same argument
CREATE TABLE ones (k int, n int);
CREATE TABLE tens (k int, n int);
SELECT create_distributed_table('ones', 'k', colocate_with => 'none');
SELECT create_distributed_table('tens', 'k / 10', colocate_with => 'ones');
CREATE PROCEDURE carries(a int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  SELECT n INTO found FROM ones WHERE k = a;
  UPDATE tens SET n = found WHERE k = a;
END $$;
SELECT abelian.explain_procedure('carries(int)');
CREATE PROCEDURE stays(a int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  SELECT n INTO found FROM tens WHERE k = a;
  UPDATE tens SET n = found WHERE k = a;
END $$;
SELECT abelian.explain_procedure('stays(int)');
CREATE PROCEDURE at_several(x int, y text) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pair SET c = 1 WHERE a = x AND b = y;
END $$;
SELECT abelian.explain_procedure('at_several(int, text)');

-- inside of a call: the nodes of all keys are needed when all columns are known, else all nodes; a row that no rule covers is refused
CREATE FUNCTION needs(participants text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  RETURN sqlstate || ' ' || sqlerrm;
END $$;
INSERT INTO abelian.lookup_entry SELECT colocation_id, 'far', 31 FROM abelian.placement WHERE relation = 'known'::regclass;
\set VERBOSITY default
SELECT abelian.node_of('pair', '1', 'x'), abelian.node_of('pair', '1', 'k'), abelian.node_of('pair', '3', 'x');
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT needs('', 'SELECT FROM pair WHERE a = 1 AND b = ''x'''); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM pair WHERE a = 1; ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM pair WHERE a IN (1, 3) AND b IN ('x', 'k'); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM pair WHERE (a = 1 AND b = 'x') OR (a = 1 AND b = 'x'); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM orders WHERE warehouse = 150; ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM orders WHERE warehouse = ANY ('{50, 250}'); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT * FROM known WHERE k = 'far'; ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; SELECT abelian.is_local('pair', 1); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1,2'; SELECT abelian.is_local('orders', 50), abelian.is_local('orders', 150); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; INSERT INTO parts VALUES (2, 2); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; INSERT INTO pair VALUES (1, NULL, 1); ROLLBACK;
BEGIN; SET LOCAL abelian.participants = '1:1'; UPDATE pair SET b = 'z' WHERE a = 1 AND b = 'x'; ROLLBACK;
