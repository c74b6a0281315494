-- What every case finds. The router then places d and p by key, e beside d, and r on every node; u stays on the first node.
CREATE SCHEMA w;
CREATE TABLE w.d (key int PRIMARY KEY, n int, t text);
CREATE TABLE w.e (key int REFERENCES w.d ON DELETE CASCADE, seq int, v int, PRIMARY KEY (key, seq));
CREATE TABLE w.p (key int, day int, x int, PRIMARY KEY (key, day)) PARTITION BY RANGE (day);
CREATE TABLE w.p1 PARTITION OF w.p FOR VALUES FROM (0) TO (10);
CREATE TABLE w.p2 PARTITION OF w.p FOR VALUES FROM (10) TO (20);
CREATE TABLE w.r (code text PRIMARY KEY, v int);
CREATE TABLE w.u (id int PRIMARY KEY, v int);
CREATE VIEW w.vd AS SELECT key, n FROM w.d;
CREATE FUNCTION w.pure(x int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT x + 1';
CREATE FUNCTION w.reads() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT count(*) FROM w.d); END';
CREATE FUNCTION w.lies(x int) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT count(*) FROM w.d WHERE d.key <= x); END';
CREATE FUNCTION w.lies_in_sql(x int) RETURNS SETOF w.d LANGUAGE sql IMMUTABLE AS 'SELECT * FROM w.d WHERE d.key <= x';
CREATE PROCEDURE w.adds(x int) LANGUAGE plpgsql AS 'BEGIN UPDATE w.d SET n = n + x; END';
CREATE FUNCTION w.watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE w.d SET n = n + 1 WHERE d.key = 1; RETURN NEW; END';
CREATE FUNCTION w.notes() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
