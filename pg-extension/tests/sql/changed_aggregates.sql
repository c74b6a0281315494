-- as: abelian
-- Commands that would take from a type the aggregate that it is over are refused: its values could not be read any more.
SET client_min_messages = warning;
CREATE SCHEMA sums;
CREATE FUNCTION sums.total_add(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE FUNCTION sums.total_add(numeric, integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
CREATE FUNCTION sums.foreign_add(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
ALTER FUNCTION sums.foreign_add(bigint, bigint) OWNER TO app;
SELECT abelian.create_type('total_of', 'sums.total(integer)');
CREATE TABLE sale (id integer PRIMARY KEY, n total_of);
INSERT INTO sale VALUES (1, 5);
CREATE OR REPLACE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = numeric, COMBINEFUNC = numeric_add, FINALFUNC = pg_catalog.int8, INITCOND = '0', PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0');
CREATE OR REPLACE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, INITCOND = '0', PARALLEL = SAFE);
ALTER AGGREGATE sums.total(integer) RENAME TO whole;
ALTER FUNCTION sums.total(integer) SET SCHEMA public;
ALTER SCHEMA sums RENAME TO amounts;
DO $$ BEGIN ALTER ROUTINE sums.total(integer) RENAME TO whole; EXCEPTION WHEN dependent_objects_still_exist THEN RAISE WARNING 'refused in a block, too'; END $$;
CREATE OR REPLACE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, COMBINEFUNC = sums.foreign_add, INITCOND = '0', PARALLEL = SAFE);
ALTER FUNCTION sums.total(integer) OWNER TO app;
-- States of a type of one's own, of which the label does not tell.
CREATE TYPE sums.pair AS (n bigint, d bigint);
CREATE FUNCTION sums.pair_add(sums.pair, integer) RETURNS sums.pair LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT ROW($1.n + $2, 1)::sums.pair';
CREATE FUNCTION sums.pair_join(sums.pair, sums.pair) RETURNS sums.pair LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT ROW($1.n + $2.n, 1)::sums.pair';
CREATE FUNCTION sums.pair_value(sums.pair) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1.n::numeric';
CREATE AGGREGATE sums.paired(integer) (SFUNC = sums.pair_add, STYPE = sums.pair, COMBINEFUNC = sums.pair_join, FINALFUNC = sums.pair_value, INITCOND = '(0,0)', PARALLEL = SAFE);
SELECT abelian.create_type('paired_of', 'sums.paired(integer)');
CREATE OR REPLACE AGGREGATE sums.paired(integer) (SFUNC = sums.total_add, STYPE = numeric, COMBINEFUNC = numeric_add, INITCOND = '0', PARALLEL = SAFE);
ALTER TYPE sums.pair ALTER ATTRIBUTE d TYPE text;
ALTER TYPE sums.pair ADD ATTRIBUTE e integer;
-- Who has no rights on the schema is not hindered, and may use the type.
SET ROLE app;
CREATE TABLE own (id integer PRIMARY KEY, n total_of);
ALTER TABLE own RENAME TO mine;
CREATE FUNCTION own() RETURNS integer LANGUAGE sql AS 'SELECT 1';
DROP FUNCTION own();
INSERT INTO mine VALUES (1, 5);
UPDATE mine SET n = abelian.add(n, 10);
SELECT * FROM mine;
DROP TABLE mine;
RESET ROLE;
DROP TYPE paired_of CASCADE;
-- What leaves it as it is.
CREATE OR REPLACE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
CREATE AGGREGATE sums.other(integer) (SFUNC = sums.total_add, STYPE = bigint, INITCOND = '0');
ALTER AGGREGATE sums.other(integer) RENAME TO another;
DROP AGGREGATE sums.another(integer);
ALTER TYPE total_of RENAME TO total_type;
ALTER TABLE sale RENAME TO sales;
UPDATE sales SET n = abelian.add(n, 10);
SELECT * FROM sales;
-- Without the type they run.
DROP TABLE sales;
DROP TYPE total_type CASCADE;
ALTER AGGREGATE sums.total(integer) RENAME TO whole;
ALTER SCHEMA sums RENAME TO amounts;
DROP SCHEMA amounts CASCADE;
