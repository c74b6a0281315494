-- What a transaction has written to many objects itself is not taken from what it has read of them before, although nothing else has happened meanwhile.
\pset format unaligned
\pset tuples_only on
CREATE TABLE tally (id int PRIMARY KEY, n abelian.counter, s abelian.set);
INSERT INTO tally SELECT i, 0, '{}' FROM generate_series(1, 20) i;
SET abelian.split = always;
UPDATE tally SET n = n + 1, s = abelian.add(s, 'first');
SET abelian."returning" = snapshot;
WITH changed AS (UPDATE tally SET n = n + 1 RETURNING n) SELECT n, count(*) FROM changed GROUP BY n;
CREATE TABLE told (n int);
DO $$ DECLARE told int; BEGIN
  FOR told IN UPDATE tally SET n = n + 1 RETURNING n LOOP INSERT INTO told VALUES (told); END LOOP;
END $$;
SELECT n, count(*) FROM told GROUP BY n;
RESET abelian."returning";
BEGIN;
UPDATE tally SET s = abelian.remove(s, 'first');
SELECT abelian.size(s), count(*) FROM tally GROUP BY 1;
UPDATE tally SET s = abelian.add(s, 'new');
SELECT count(*) FROM tally WHERE abelian.contains(s, 'new');
UPDATE tally SET s = abelian.remove(s, 'new') WHERE id > 5;
SELECT abelian.size(s), count(*) FROM tally GROUP BY 1 ORDER BY 1;
COMMIT;
