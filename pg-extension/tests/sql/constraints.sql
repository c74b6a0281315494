-- Every constraint holds beside operations as beside updates of plain columns: each scenario gives the same over bigint, over counters, and
-- over counters that go to slices wherever they can.
\set VERBOSITY sqlstate
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA here;
SET search_path = here;

-- A deferred check passes over a version of a row that is not live at the end: the version that took its place is checked.
\set scenario 'CREATE TABLE parent (id int PRIMARY KEY, n :type DEFAULT 0); CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent DEFERRABLE INITIALLY DEFERRED, n :type); INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (2, 1, 0), (3, 2, 0); BEGIN; INSERT INTO child VALUES (1, 999, 0); UPDATE child SET n = n + 1 WHERE id = 1; COMMIT; BEGIN; UPDATE child SET p = 999 WHERE id = 2; UPDATE child SET n = n + 1 WHERE id = 2; COMMIT; BEGIN; INSERT INTO child VALUES (1, 999, 0); SAVEPOINT a; UPDATE child SET n = n + 1; RELEASE a; UPDATE child SET n = n + 1; SET CONSTRAINTS ALL IMMEDIATE; COMMIT; BEGIN; INSERT INTO child VALUES (1, 999, 0); SAVEPOINT a; UPDATE child SET n = n + 1; ROLLBACK TO a; COMMIT; BEGIN; DELETE FROM parent WHERE id = 2; UPDATE child SET n = n + 1; COMMIT; BEGIN; INSERT INTO child VALUES (1, 999, 0); UPDATE child SET n = n + 1; INSERT INTO parent VALUES (999, 5); UPDATE parent SET n = n + 1; COMMIT; BEGIN; INSERT INTO child VALUES (5, 998, 0); UPDATE child SET n = n + 1; UPDATE child SET p = NULL WHERE id = 5; UPDATE child SET n = n + 1; COMMIT; BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO child VALUES (6, 997, 0); UPDATE child SET n = n + 1 WHERE id = 6; COMMIT; SELECT id, p, n FROM child ORDER BY id; SELECT id, n FROM parent ORDER BY id; DROP TABLE parent, child;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
RESET abelian.split;

-- A foreign key of a table to itself, and one to a row that is operated on in the same transaction.
\set scenario 'CREATE TABLE s (id int PRIMARY KEY, p int REFERENCES s DEFERRABLE INITIALLY DEFERRED, n :type); BEGIN; INSERT INTO s VALUES (1, 2, 0); UPDATE s SET n = n + 1; INSERT INTO s VALUES (2, 1, 0); UPDATE s SET n = n + 1; COMMIT; BEGIN; INSERT INTO s VALUES (3, 4, 0); UPDATE s SET n = n + 1 WHERE id = 3; COMMIT; BEGIN; DELETE FROM s WHERE id = 1; UPDATE s SET n = n + 1; COMMIT; SELECT * FROM s ORDER BY id; DROP TABLE s;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
RESET abelian.split;

-- Unique and exclusion constraints: a row that moves to another page gets new index entries, which are checked later.
CREATE PROCEDURE touch(t regclass) LANGUAGE plpgsql AS $$
BEGIN FOR i IN 1..12 LOOP EXECUTE format('UPDATE %s SET n = n + 1 WHERE id = 100', t); END LOOP; END $$;
\set scenario 'CREATE TABLE u (id int PRIMARY KEY, k int UNIQUE DEFERRABLE INITIALLY DEFERRED, r int4range, n :type, pad text DEFAULT repeat(\'x\', 800), EXCLUDE USING gist (r WITH &&) DEFERRABLE INITIALLY DEFERRED); INSERT INTO u SELECT i, i, int4range(i, i + 1), 0 FROM generate_series(1, 9) i; BEGIN; INSERT INTO u VALUES (100, 1, \'empty\', 0); CALL touch(\'u\'); COMMIT; BEGIN; INSERT INTO u VALUES (100, 100, \'[1,2)\', 0); CALL touch(\'u\'); COMMIT; BEGIN; INSERT INTO u VALUES (100, 1, \'[2,3)\', 0); CALL touch(\'u\'); DELETE FROM u WHERE id < 3; CALL touch(\'u\'); COMMIT; SELECT id, k, r, n FROM u WHERE id > 8 ORDER BY id; DROP TABLE u;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
RESET abelian.split;

-- What an operation on the value breaks, or leads to: NOT NULL, foreign keys of the column, generated columns, indexes.
CREATE FUNCTION double(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 * 2';
CREATE FUNCTION double(abelian.counter) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1::bigint * 2';
\set scenario 'CREATE TABLE v (id int PRIMARY KEY, n :type NOT NULL, g bigint GENERATED ALWAYS AS (double(n)) STORED); CREATE INDEX v_double ON v (double(n)); INSERT INTO v VALUES (1, 5); UPDATE v SET n = n + NULL; UPDATE v SET n = n + nullif(id, 1); UPDATE v SET n = n + 1; SET enable_seqscan = off; SELECT id, n, g FROM v WHERE double(n) = 12; RESET enable_seqscan; DROP TABLE v; CREATE TABLE w (id int PRIMARY KEY, n :type NOT NULL); INSERT INTO w VALUES (1, 5); UPDATE w SET n = n + NULL; UPDATE w SET n = n + nullif(id, 1); UPDATE w SET n = n + 1; SELECT * FROM w; DROP TABLE w; CREATE TABLE key (id bigint PRIMARY KEY); INSERT INTO key VALUES (1), (2), (5); CREATE TABLE refers (id int PRIMARY KEY, n :type REFERENCES key ON UPDATE CASCADE); INSERT INTO refers VALUES (1, 1); UPDATE refers SET n = n + 1; UPDATE refers SET n = n + 1; UPDATE refers SET n = n + 3; UPDATE key SET id = 7 WHERE id = 5; DELETE FROM key WHERE id = 7; SELECT * FROM refers; DROP TABLE refers, key;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
RESET abelian.split;

-- A CHECK of other columns is tested by every UPDATE: it matters where a row may break it.
CREATE TABLE open (yes boolean);
INSERT INTO open VALUES (true);
CREATE FUNCTION is_open() RETURNS boolean STABLE LANGUAGE sql AS 'SELECT yes FROM here.open';
\set scenario 'CREATE TABLE c (id int PRIMARY KEY, a int, n :type, CHECK (a > 0 OR is_open())); INSERT INTO c VALUES (1, -1, 0), (2, 2, 0); ALTER TABLE c ADD CHECK (id < 2) NOT VALID; UPDATE c SET n = n + 1 WHERE id = 1; UPDATE c SET n = n + 1 WHERE id = 2; UPDATE open SET yes = false; UPDATE c SET n = n + 1 WHERE id = 1; UPDATE open SET yes = true; SELECT * FROM c ORDER BY id; DROP TABLE c;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
RESET abelian.split;

-- Constraint triggers: a deferred one sees the row as it was inserted, and the table as it is by then.
CREATE TABLE log (what text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO log VALUES (TG_OP || ' ' || new.id || ': ' || new.n::bigint || ', ' || (SELECT n::bigint FROM t WHERE id = new.id)); RETURN NULL; END $$;
\set scenario 'CREATE TABLE t (id int PRIMARY KEY, n :type); CREATE CONSTRAINT TRIGGER noted AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note(); BEGIN; INSERT INTO t VALUES (1, 0); UPDATE t SET n = n + 1; UPDATE t SET n = n + 1; COMMIT; BEGIN; INSERT INTO t VALUES (2, 0); SAVEPOINT a; UPDATE t SET n = n + 1; ROLLBACK TO a; UPDATE t SET n = n + 3; COMMIT; SELECT * FROM log; TRUNCATE log; DROP TABLE t;'
\set type bigint
:scenario
\set type abelian.counter
:scenario
SET abelian.split = always;
:scenario
