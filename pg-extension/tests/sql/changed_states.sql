-- as: abelian
-- States of a type over an aggregate that keeps them in another type in a newer version: nothing stored is taken for something else.
SET client_min_messages = warning;
CREATE FUNCTION total_add(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE FUNCTION total_add(numeric, integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE AGGREGATE total(integer) (SFUNC = total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
-- As pg_upgrade leaves it where PostgreSQL's own aggregates have changed. Commands cannot.
CREATE FUNCTION newer_version() RETURNS void LANGUAGE sql AS $$
  UPDATE pg_aggregate SET aggtransfn = 'total_add(numeric, integer)'::regprocedure, aggtranstype = 'numeric'::regtype, aggcombinefn = 'numeric_add'::regproc,
                          aggfinalfn = 'pg_catalog.int8(numeric)'::regprocedure WHERE aggfnoid = 'total(integer)'::regprocedure
$$;
CREATE FUNCTION former_version() RETURNS void LANGUAGE sql AS $$
  UPDATE pg_aggregate SET aggtransfn = 'total_add(bigint, integer)'::regprocedure, aggtranstype = 'bigint'::regtype, aggcombinefn = 'int8pl'::regproc,
                          aggfinalfn = 0 WHERE aggfnoid = 'total(integer)'::regprocedure
$$;
SELECT abelian.create_type('total_of', 'total(integer)');
CREATE TABLE sale (id integer PRIMARY KEY, n total_of, note text);
INSERT INTO sale VALUES (1, 5), (2, 7);
SET abelian.split = always;
UPDATE sale SET n = abelian.add(n, 10);
RESET abelian.split;
SELECT * FROM sale ORDER BY id;
SELECT newer_version();
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
SELECT former_version();
SELECT * FROM sale ORDER BY id;
UPDATE sale SET n = abelian.add(n, 100);
SELECT * FROM sale ORDER BY id;
-- All that are made tell their states; whoever does not is taken at its word.
SELECT count(*) FROM pg_seclabel WHERE provider = 'abelian' AND classoid = 'pg_type'::regclass AND label NOT LIKE '%; state %';
-- Sums of intervals are of one kind on all versions.
SELECT '1 day 2 hours'::abelian.sum_interval, pg_catalog.format_type(aggtranstype, NULL) FROM pg_aggregate WHERE aggfnoid = 'abelian.sum_interval_of(interval)'::regprocedure;
-- Its values are objects all the while: none is copied with its identity, and it is not indexed.
SELECT newer_version();
INSERT INTO sale SELECT 3, n, note FROM sale WHERE id = 1;
CREATE TABLE copied AS SELECT * FROM sale;
CREATE INDEX ON sale (n);
SET client_min_messages = error;
CREATE PUBLICATION changes FOR TABLE sale;
SELECT former_version();
INSERT INTO sale SELECT 3, n, note FROM sale WHERE id = 1;
SET abelian.split = always;
UPDATE sale SET n = abelian.add(n, 1000) WHERE id = 3;
RESET abelian.split;
SELECT * FROM sale ORDER BY id;
