-- What is asked of a relation that does not exist (any more) has no answer, and does no harm.
\pset null '(null)'
SELECT abelian.row_key(4000000000::oid, '(0,1)');
CREATE TABLE t (id int PRIMARY KEY, n abelian.counter);
INSERT INTO t VALUES (1, 1);
SELECT abelian.row_key('t'::regclass, '(0,1)');
SELECT 't'::regclass::oid AS gone \gset
DROP TABLE t;
SELECT abelian.row_key(:gone, '(0,1)');
-- A plan whose table is dropped before it runs again.
CREATE TABLE t (id int PRIMARY KEY, n abelian.counter);
PREPARE p AS UPDATE t SET n = n + 1;
EXECUTE p;
DROP TABLE t;
EXECUTE p;
