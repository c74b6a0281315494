-- as: abelian
-- ALTER EXTENSION UPDATE from version 0.2.0: stored collections, slices and prepared operations included, keep their meaning, and then lock elements.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
DROP EXTENSION abelian_cluster, abelian;
CREATE EXTENSION abelian VERSION '0.2.0';
CREATE TABLE basket (id int PRIMARY KEY, s abelian.set, m abelian.multiset, z abelian.scored_set);
INSERT INTO basket VALUES (1, '{a,b}', '{"a": 2}', '{"a": 1.5}'), (2, '{a}', NULL, '{}');
-- Whole objects, as version 0.2.0 has it.
EXPLAIN (COSTS off) UPDATE basket SET s = abelian.remove(s, 'a');
UPDATE basket SET s = abelian.add(s, 'c'), m = abelian.add(m, 'b', 3), z = abelian.add(z, 'a', 1);
SET abelian.split = always;
UPDATE basket SET s = abelian.add(s, 'a'), m = abelian.add(m, 'a'), z = abelian.add(z, 'b', 2);
UPDATE basket SET s = abelian.add(s, 'd') WHERE id = 1;
UPDATE basket SET s = abelian.remove(s, 'b') WHERE id = 2;
BEGIN;
UPDATE basket SET s = abelian.add(s, 'e'), z = abelian.add(z, 'b', 10) WHERE id = 1;
PREPARE TRANSACTION 'before_the_update';
SELECT * FROM basket ORDER BY id;
ALTER EXTENSION abelian UPDATE;
SELECT extversion FROM pg_extension WHERE extname = 'abelian';
SELECT * FROM basket ORDER BY id;
EXPLAIN (COSTS off) UPDATE basket SET s = abelian.remove(s, 'a');
-- What was added before, in the row and in slices, is taken out whole; the prepared transaction holds no element.
UPDATE basket SET s = abelian.remove(s, 'a'), m = abelian.remove(m, 'a', 2), z = abelian.put(z, 'a', 7);
SELECT * FROM basket ORDER BY id;
COMMIT PREPARED 'before_the_update';
SELECT * FROM basket ORDER BY id;
SET abelian.split = auto;
UPDATE basket SET s = abelian.remove(abelian.remove(s, 'c'), 'e'), z = abelian.remove(z, 'b');
SELECT * FROM basket ORDER BY id;
