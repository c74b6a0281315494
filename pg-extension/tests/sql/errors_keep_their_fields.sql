-- An error that a user's code raises, or a constraint, reaches the client as it is over plain columns without the extension: with any SQLSTATE,
-- and with the names of schema, table, column and constraint, wherever it arises.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE FUNCTION boom(int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'x' USING ERRCODE = 'AB777', DETAIL = 'd', HINT = 'h', SCHEMA = 'ss', TABLE = 'tt', COLUMN = 'cc', CONSTRAINT = 'nn', DATATYPE = 'dd'; END $$;
CREATE FUNCTION boom_at_once(int) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT public.boom($1)';
CREATE FUNCTION complaint(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE a text; b text; c text; d text; e text; f text; g text; h text; i text; j text;
BEGIN
  EXECUTE statement;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS a = RETURNED_SQLSTATE, b = MESSAGE_TEXT, c = PG_EXCEPTION_DETAIL, d = PG_EXCEPTION_HINT, e = SCHEMA_NAME, f = TABLE_NAME,
    g = COLUMN_NAME, h = CONSTRAINT_NAME, i = PG_DATATYPE_NAME, j = PG_EXCEPTION_CONTEXT;
  RETURN concat_ws(' | ', a, b, c, d, e, f, g, h, i, regexp_replace(j, '\nPL/pgSQL function complaint.*', ''));
END $$;
CREATE TABLE t (id int PRIMARY KEY, n abelian.counter NOT NULL, m abelian.max);
INSERT INTO t VALUES (1, 0, 0);
CREATE TABLE refers (id int PRIMARY KEY, t int REFERENCES t, n abelian.counter);
-- operations: in the change, the condition, RETURNING; as the plan is made
SELECT complaint('UPDATE t SET n = n + boom(id)');
SELECT complaint('UPDATE t SET n = n + 1 WHERE boom(id) > 0');
SELECT complaint('UPDATE t SET n = n + 1 RETURNING boom(id)');
SELECT complaint('UPDATE t SET m = greatest(m, boom(id))');
SELECT complaint('UPDATE t SET n = n + boom_at_once(1)');
SET abelian.split = always;
SELECT complaint('UPDATE t SET n = n + boom(id)');
SELECT complaint('UPDATE t SET n = n + 1 RETURNING boom(id)');
RESET abelian.split;
-- constraints
SELECT complaint('UPDATE t SET n = n + NULL');
SELECT complaint('INSERT INTO refers VALUES (1, 7, 0)');
BEGIN;
ALTER TABLE refers ALTER CONSTRAINT refers_t_fkey DEFERRABLE INITIALLY DEFERRED;
INSERT INTO refers VALUES (1, 7, 0);
UPDATE refers SET n = n + 1;
SELECT complaint('SET CONSTRAINTS ALL IMMEDIATE');
ROLLBACK;
-- other statements
SELECT complaint('SELECT boom_at_once(1)');
SELECT complaint('SELECT boom(n::int) FROM t');
SELECT complaint('ALTER TABLE t ADD CHECK (boom(1) > 0)');
SELECT complaint('CREATE INDEX ON t (boom_at_once(id))');
SELECT complaint('DO $d$ BEGIN PERFORM boom(1); END $d$');
SELECT complaint('CREATE VIEW v AS SELECT nothing FROM t');
SELECT complaint('CREATE TABLE s AS SELECT boom(id), n FROM t');
SELECT complaint('TRUNCATE t');
