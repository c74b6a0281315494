-- Errors of PostgreSQL keep position and context wherever the extension stands in between: in commands, in planning, below ALTER TABLE and TRUNCATE.
\set SHOW_CONTEXT always
\pset format unaligned
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT 0, CHECK (nothing > 0));
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT 0);
SELECT log(-12.34);
COPY t FROM stdin;
1	2
x	3
\.
ALTER TABLE t ADD COLUMN d int DEFAULT (id);
ALTER TABLE t ADD CONSTRAINT k CHECK (1 / 0 > id), ADD COLUMN e nosuchtype;
CREATE FUNCTION fails() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1 / 0; END';
INSERT INTO t VALUES (1, 1);
ALTER TABLE t ADD COLUMN f int DEFAULT fails();
CREATE TABLE u AS SELECT fails();
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this' USING ERRCODE = 'AB999', DETAIL = 'd', HINT = 'h', COLUMN = 'c'; END $$;
CREATE TRIGGER refuse BEFORE TRUNCATE ON t EXECUTE FUNCTION refuse();
TRUNCATE t;
\echo :LAST_ERROR_SQLSTATE
CREATE VIEW v AS SELECT nothing FROM t;
-- The state that an error interrupts is put back: views are defined, and values read, as before.
SELECT pg_typeof(c) FROM t;
CREATE VIEW w AS SELECT c FROM t;
UPDATE w SET c = c + 1;
SELECT * FROM w;
