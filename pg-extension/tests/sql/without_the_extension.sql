-- as: abelian
-- In a database where the extension was not created, tables are rewritten as if it were not loaded: nothing warns, and nothing is left.
SELECT current_database() AS here, current_database() || '_bare' AS bare \gset
CREATE DATABASE :bare TEMPLATE template0;
\connect :bare
CREATE TABLE t (a int, b bigint GENERATED ALWAYS AS IDENTITY) PARTITION BY RANGE (a);
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (1) TO (50);
INSERT INTO t (a) VALUES (1), (2);
ALTER TABLE t ALTER COLUMN b TYPE int;
SELECT a, b FROM t ORDER BY a;
VACUUM FULL t1;
DROP TABLE t;
\connect :here
DROP DATABASE :bare;
