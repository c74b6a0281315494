-- A bigint takes numeric and double precision summands: PostgreSQL computes in that type and rounds when it stores. A counter has no such
-- operator: the statement fails with 42883 and changes nothing, unless one of the sides is cast.
\set VERBOSITY terse
CREATE TABLE plain (id int PRIMARY KEY, c bigint, d numeric);
CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter);
INSERT INTO plain VALUES (1, 4, 4); INSERT INTO t SELECT * FROM plain;
UPDATE t SET c = c + 1.5;
UPDATE t SET c = c + 1.5::double precision;
UPDATE t SET d = d + 1.5::double precision;
PREPARE exact (numeric) AS UPDATE t SET c = c + $1;
PREPARE inexact (double precision) AS UPDATE t SET d = d + $1;
SELECT * FROM t;
-- The counter as numeric: what bigint does, by an overwrite.
UPDATE plain SET c = c + 1.5; UPDATE t SET c = c::numeric + 1.5;
UPDATE plain SET c = c - 1.4; UPDATE t SET c = c::numeric - 1.4;
UPDATE plain SET d = d + 0.1::double precision; UPDATE t SET d = d::double precision + 0.1::double precision;
SELECT p.c = t.c AS same, p.d = t.d AS same, t.* FROM plain p JOIN t USING (id);
-- The argument in the counter's own type: an operation.
EXPLAIN (COSTS OFF) UPDATE t SET c = c + 1.5::bigint, d = d + 0.1::double precision::numeric;
PREPARE rounded (numeric) AS UPDATE t SET c = c + $1::bigint;
EXECUTE rounded (2.5);
PREPARE untyped AS UPDATE t SET c = c + $1, d = d + $2;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
EXECUTE untyped (1, 0.5);
SELECT * FROM t;
-- Whole assignments convert as for bigint.
UPDATE plain SET c = 2.5, d = 2.5::double precision; UPDATE t SET c = 2.5, d = 2.5::double precision;
SELECT p.c = t.c AS same, p.d = t.d AS same, t.* FROM plain p JOIN t USING (id);
