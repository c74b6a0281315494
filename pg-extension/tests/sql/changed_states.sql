-- as: abelian
-- States of a type over an aggregate whose aggregate keeps them in another type later: nothing stored is taken for something else.
SET client_min_messages = warning;
CREATE FUNCTION total_add(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE FUNCTION total_add(numeric, integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE AGGREGATE total(integer) (SFUNC = total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
SELECT abelian.create_type('total_of', 'total(integer)');
CREATE TABLE sale (id integer PRIMARY KEY, n total_of, note text);
INSERT INTO sale VALUES (1, 5), (2, 7);
SET abelian.split = always;
UPDATE sale SET n = abelian.add(n, 10);
RESET abelian.split;
SELECT * FROM sale ORDER BY id;
CREATE OR REPLACE AGGREGATE total(integer) (SFUNC = total_add, STYPE = numeric, COMBINEFUNC = numeric_add, FINALFUNC = pg_catalog.int8, INITCOND = '0', PARALLEL = SAFE);
\set VERBOSITY sqlstate
SELECT n FROM sale;
SELECT n::text FROM sale;
SELECT sum(n) FROM sale;
UPDATE sale SET n = abelian.add(n, 10);
INSERT INTO sale VALUES (3, 1);
SECURITY LABEL FOR abelian ON TYPE total_of IS 'public.total(pg_catalog.int4); state pg_catalog.int8';
\set VERBOSITY default
-- What does not look at it goes on.
UPDATE sale SET note = 'seen' WHERE id = 1;
SELECT id, note FROM sale ORDER BY id;
-- As it was.
CREATE OR REPLACE AGGREGATE total(integer) (SFUNC = total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
SELECT * FROM sale ORDER BY id;
UPDATE sale SET n = abelian.add(n, 100);
SELECT * FROM sale ORDER BY id;
-- All that are made tell their states; whoever does not is taken at its word.
SELECT count(*) FROM pg_seclabel WHERE provider = 'abelian' AND classoid = 'pg_type'::regclass AND label NOT LIKE '%; state %';
-- Sums of intervals are of one kind on all versions.
SELECT '1 day 2 hours'::abelian.sum_interval, pg_catalog.format_type(aggtranstype, NULL) FROM pg_aggregate WHERE aggfnoid = 'abelian.sum_interval_of(interval)'::regprocedure;
-- Its values are objects all the while: none is copied with its identity, and it is not indexed.
CREATE OR REPLACE AGGREGATE total(integer) (SFUNC = total_add, STYPE = numeric, COMBINEFUNC = numeric_add, FINALFUNC = pg_catalog.int8, INITCOND = '0', PARALLEL = SAFE);
INSERT INTO sale SELECT 3, n, note FROM sale WHERE id = 1;
CREATE TABLE copied AS SELECT * FROM sale;
CREATE INDEX ON sale (n);
SET client_min_messages = error;
CREATE PUBLICATION changes FOR TABLE sale;
CREATE OR REPLACE AGGREGATE total(integer) (SFUNC = total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
INSERT INTO sale SELECT 3, n, note FROM sale WHERE id = 1;
SET abelian.split = always;
UPDATE sale SET n = abelian.add(n, 1000) WHERE id = 3;
RESET abelian.split;
SELECT * FROM sale ORDER BY id;
