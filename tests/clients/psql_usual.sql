-- What people do in psql: its commands, variables, \copy, \timing, cursors behind FETCH_COUNT, errors.
\set ON_ERROR_STOP off
\set VERBOSITY default
SET client_min_messages = warning;
DROP TABLE IF EXISTS cl_psql;
CREATE TABLE cl_psql (id bigint PRIMARY KEY, name text NOT NULL DEFAULT 'x', n int);
CREATE INDEX cl_psql_n ON cl_psql (n);
\if :places
SELECT create_distributed_table('cl_psql', 'id') \g /dev/null
\endif
INSERT INTO cl_psql SELECT i, 'n' || i, i % 7 FROM generate_series(1, 40) i;
\d cl_psql
\dt cl_psql
\di cl_psql_n
SELECT id, name FROM cl_psql \gdesc
SELECT count(*) AS many FROM cl_psql \gset
\echo :many
SELECT * FROM cl_psql ORDER BY id LIMIT 2 \gx
SELECT n, id, name FROM cl_psql WHERE id < 4 ORDER BY 2 \crosstabview
\copy (SELECT id, name FROM cl_psql WHERE id <= 3 ORDER BY id) TO STDOUT CSV HEADER
\copy cl_psql (id, n) FROM STDIN
900	1
901	2
\.
\set FETCH_COUNT 7
SELECT id FROM cl_psql WHERE id > 36 ORDER BY id;
\unset FETCH_COUNT
\timing on
SELECT name FROM cl_psql WHERE id = 3;
UPDATE cl_psql SET n = n + 1;
SELECT nowhere FROM cl_psql;
BEGIN;
SELECT count(*) FROM cl_psql \; SELECT sum(n) FROM cl_psql;
COMMIT;
\copy (SELECT id FROM cl_psql WHERE id < 3 ORDER BY id) TO STDOUT
\timing off
SELECT nowhere FROM cl_psql;
INSERT INTO cl_psql (id) VALUES (1);
\errverbose
BEGIN;
\set ON_ERROR_ROLLBACK on
SELECT 1 / 0;
SELECT name FROM cl_psql WHERE id = 5;
COMMIT;
SELECT format('SELECT %s AS a', i) FROM generate_series(1, 2) i \gexec
PREPARE look AS SELECT name FROM cl_psql WHERE id = $1;
EXECUTE look(7);
DROP TABLE cl_psql;
