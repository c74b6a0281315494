-- as: abelian
-- Commands that would take from a type the aggregate that it is over are refused: its values could not be read any more.
SET client_min_messages = warning;
CREATE SCHEMA sums;
CREATE FUNCTION sums.total_add(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE FUNCTION sums.total_add(numeric, integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 + $2';
CREATE AGGREGATE sums.total(integer) (SFUNC = sums.total_add, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
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
