-- as: abelian
-- A table whose updates are published keeps its values in its rows, whatever the settings say; what is split when it becomes published is joined,
-- by whichever command publishes it. An operation needs a replica identity where an UPDATE does.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error; -- wal_level is that of a node without subscribers
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter(0), m abelian.max, s abelian.set, n int);
CREATE INDEX ON t ((n / (n + 1)));
INSERT INTO t SELECT i, 10, 10, 10, 10, NULL, i FROM generate_series(1, 4) i;
SET abelian.split = always;
UPDATE t SET c = c + 1, d = d + 0.5, b = b + 1, m = greatest(m, 40) WHERE id < 3;
UPDATE t SET s = abelian.add(s, 'a') WHERE id = 1;
UPDATE t SET s = abelian.add(s, 'b') WHERE id = 1;
-- no trigger sees it
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a trigger'; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE FUNCTION slices() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM abelian.slice';
SELECT slices();
SELECT * FROM t ORDER BY id;
BEGIN;
CREATE PUBLICATION p FOR TABLE t;
SELECT slices();
SELECT * FROM t ORDER BY id;
ROLLBACK;
SELECT slices();
SELECT * FROM t ORDER BY id;
BEGIN; CREATE PUBLICATION p FOR ALL TABLES; SELECT slices(); ROLLBACK;
BEGIN; CREATE PUBLICATION p FOR TABLES IN SCHEMA public; SELECT slices(); ROLLBACK;
-- what publishes no updates joins nothing, until it does
BEGIN;
CREATE PUBLICATION p FOR TABLE t WITH (publish = 'insert, delete');
SELECT slices();
ALTER PUBLICATION p SET (publish = 'update');
SELECT slices();
ROLLBACK;
BEGIN;
CREATE PUBLICATION p;
SELECT slices();
ALTER PUBLICATION p ADD TABLE t;
SELECT slices();
ROLLBACK;
-- a table that goes where it is published
BEGIN;
CREATE SCHEMA elsewhere; CREATE PUBLICATION p FOR TABLES IN SCHEMA elsewhere;
SELECT slices();
ALTER TABLE t SET SCHEMA elsewhere;
SELECT slices();
ROLLBACK;
BEGIN;
CREATE TABLE parted (LIKE t INCLUDING INDEXES) PARTITION BY RANGE (id); CREATE PUBLICATION p FOR TABLE parted;
SELECT slices();
ALTER TABLE t DROP COLUMN n; ALTER TABLE parted DROP COLUMN n; DROP TRIGGER refuse ON t;
ALTER TABLE parted ATTACH PARTITION t FOR VALUES FROM (0) TO (10);
SELECT slices();
UPDATE parted SET c = c + 1;
SELECT slices();
SELECT * FROM parted ORDER BY id;
ROLLBACK;
-- rows that could not be updated, and then can
BEGIN;
ALTER TABLE t DROP CONSTRAINT t_pkey; CREATE PUBLICATION p FOR TABLE t;
SELECT slices();
ALTER TABLE t REPLICA IDENTITY FULL;
SELECT slices();
ROLLBACK;
BEGIN;
ALTER TABLE t DROP CONSTRAINT t_pkey; CREATE PUBLICATION p FOR TABLE t;
ALTER TABLE t ADD PRIMARY KEY (id);
SELECT slices();
ROLLBACK;
-- checks that refer to versions of rows come first
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent DEFERRABLE INITIALLY DEFERRED, n abelian.counter);
INSERT INTO child VALUES (1, NULL, 0);
UPDATE child SET n = n + 1;
BEGIN;
INSERT INTO child VALUES (2, 7, 0);
CREATE PUBLICATION p FOR TABLE child;
ROLLBACK;
-- by hand, for its owner
SET ROLE app;
SELECT abelian.join_values('t');
SELECT abelian.join_values('t_pkey');
RESET ROLE;
SELECT abelian.join_values('t_pkey');
SELECT abelian.join_values('t');
SELECT slices();
SELECT * FROM t ORDER BY id;
SELECT abelian.join_values('t');
SELECT abelian.join_values('child');
-- code of users runs as the owner of the table, not as whoever publishes it
SET ROLE app;
CREATE FUNCTION spy(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'works as %', current_user; RETURN $1; END $$;
CREATE TABLE mine (id int PRIMARY KEY, n abelian.counter, pad text DEFAULT repeat('x', 2500));
ALTER TABLE mine ALTER pad SET STORAGE PLAIN;
INSERT INTO mine SELECT i, 0 FROM generate_series(1, 3) i;
CREATE INDEX ON mine (spy(id));
UPDATE mine SET n = n + 1;
RESET ROLE;
SELECT slices();
BEGIN;
SET LOCAL client_min_messages = notice;
CREATE PUBLICATION p FOR ALL TABLES;
ROLLBACK;
-- published: the setting changes nothing
DROP TRIGGER refuse ON t;
CREATE PUBLICATION p FOR TABLE t;
UPDATE t SET c = c + 1, d = d + 0.5, b = b - 1, m = greatest(m, 50), s = abelian.add(s, 'c');
BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE t SET c = c + 1; COMMIT;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) UPDATE t SET c = c + 1 WHERE n = 1;
SELECT count(*) FROM abelian.slice WHERE relation = 't'::regclass;
SELECT * FROM t ORDER BY id;
DROP PUBLICATION p;
UPDATE t SET c = c + 1;
SELECT count(*) FROM abelian.slice WHERE relation = 't'::regclass;
-- replica identity, row filter, column list
\set VERBOSITY terse
CREATE TABLE bare (id int, n abelian.counter, a int);
INSERT INTO bare VALUES (1, 0, 1);
CREATE PUBLICATION p FOR TABLE bare;
UPDATE bare SET n = n + 1;
UPDATE bare SET n = n + 1 WHERE false;
EXPLAIN UPDATE bare SET n = n + 1;
PREPARE add AS UPDATE bare SET n = n + 1;
EXECUTE add;
ALTER TABLE bare REPLICA IDENTITY FULL;
EXECUTE add;
ALTER TABLE bare REPLICA IDENTITY NOTHING;
EXECUTE add;
ALTER PUBLICATION p SET (publish = 'insert, delete');
EXECUTE add;
DROP PUBLICATION p;
ALTER TABLE bare ADD PRIMARY KEY (id), REPLICA IDENTITY DEFAULT;
CREATE PUBLICATION p FOR TABLE bare WHERE (a > 0);
EXECUTE add;
DROP PUBLICATION p;
CREATE PUBLICATION p FOR TABLE bare (n, a);
EXECUTE add;
ALTER PUBLICATION p SET TABLE bare (id, n);
EXECUTE add;
SELECT * FROM bare;
