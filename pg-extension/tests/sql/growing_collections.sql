-- as: abelian
-- What a backend adds to a collection is kept in slices of several tiers, each many times as large as the one before. Whatever is passed on from one to
-- the next, the value is that of the same operations on a table; so it is after rollbacks, and beside a prepared transaction that keeps its slices.
\pset format unaligned
\pset tuples_only on
SET abelian.split = always;
ALTER SYSTEM SET abelian.fold_interval = 0;
SELECT pg_reload_conf();
CREATE TABLE crowd (id int PRIMARY KEY, members abelian.set, scores abelian.scored_set, best abelian.top_k);
INSERT INTO crowd VALUES (1, '{}', '{}', abelian.top_k(500));
CREATE TABLE member (name text PRIMARY KEY, score numeric);
CREATE FUNCTION name(i int) RETURNS text IMMUTABLE LANGUAGE SQL RETURN 'member ' || i || repeat('.', i % 30);
-- Each operation in a transaction of its own, or all of a hundred in one, which may be undone.
CREATE PROCEDURE join_crowd(first int, last int) LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN first .. last LOOP
    UPDATE crowd SET members = abelian.add(members, name(i)), scores = abelian.add(scores, name(i), i % 7),
                     best = abelian.add(best, i % 1013, name(i)) WHERE id = 1;
    IF i % 3 = 0 THEN
      UPDATE crowd SET members = abelian.remove(members, name(i - 1)) WHERE id = 1;
      DELETE FROM member WHERE name = name(i - 1);
    END IF;
    INSERT INTO member VALUES (name(i), i % 7);
  END LOOP;
END $$;
CREATE PROCEDURE join_one_by_one(first int, last int) LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN first .. last LOOP CALL join_crowd(i, i); COMMIT; END LOOP;
END $$;
CREATE PROCEDURE join_by_hundreds(first int, last int) LANGUAGE plpgsql AS $$ BEGIN
  FOR i IN first .. last BY 100 LOOP CALL join_crowd(i, i + 99); COMMIT; END LOOP;
END $$;
CREATE VIEW same AS
  SELECT ARRAY(SELECT jsonb_array_elements_text(to_jsonb(members)) ORDER BY 1) = ARRAY(SELECT name FROM member ORDER BY 1) AS members,
         abelian.size(members) - (SELECT count(*) FROM member) AS sizes,
         (SELECT bool_and(abelian.contains(c.members, m.name) AND abelian.score(c.scores, m.name) IS NOT DISTINCT FROM m.score) FROM member m) AS elements
  FROM crowd c;
CREATE VIEW greatest AS SELECT array_agg(item) FROM (SELECT item FROM crowd, abelian.top(best, 3)) t;
CREATE VIEW parts AS SELECT slot, row_number() OVER (PARTITION BY attribute ORDER BY slot) AS tier, length(state) AS bytes, attribute FROM abelian.slice;
CALL join_one_by_one(1, 400);
SELECT * FROM same;
-- What is new lies in small slices; several tiers are there; the first two are no larger than their tiers.
SELECT attribute, count(*) > 1 AS tiers, min(bytes) FILTER (WHERE tier = 1) <= 1024 AS small, max(bytes) > 1024 AS large FROM parts GROUP BY attribute ORDER BY attribute;
CALL join_by_hundreds(401, 3500);
SELECT * FROM same;
SELECT attribute, count(*) > 2 AS three_tiers, max(bytes) FILTER (WHERE tier = 1) <= 1024 AS small, max(bytes) FILTER (WHERE tier = 2) <= 32768 AS larger
FROM parts WHERE attribute = 2 GROUP BY attribute;
TABLE greatest;
-- Undone: all tiers are as they were.
CREATE TABLE before AS SELECT slot, attribute, md5(state) AS state FROM abelian.slice;
BEGIN;
CALL join_crowd(3501, 3600);
SELECT * FROM same;
SAVEPOINT here;
CALL join_crowd(3601, 3700);
ROLLBACK TO here;
SELECT * FROM same;
ROLLBACK;
SELECT * FROM same;
TABLE before EXCEPT SELECT slot, attribute, md5(state) FROM abelian.slice;
SELECT slot, attribute, md5(state) FROM abelian.slice EXCEPT TABLE before;
TABLE greatest;
-- A prepared transaction keeps the slices that it has written: others are used meanwhile.
BEGIN;
CALL join_crowd(3501, 3600);
PREPARE TRANSACTION 'crowd';
CREATE TABLE kept AS SELECT attribute, slot, md5(state) AS state FROM abelian.slice;
CALL join_one_by_one(4001, 4100);
CREATE TABLE meanwhile AS SELECT attribute, slot, md5(state) AS state FROM abelian.slice;
CREATE TABLE used AS TABLE meanwhile EXCEPT TABLE kept;
SELECT * FROM same;
COMMIT PREPARED 'crowd';
SELECT count(*) > 0 AS kept, count(used) AS by_both, (SELECT count(*) > 0 FROM used) AS used
FROM (SELECT attribute, slot, md5(state) FROM abelian.slice EXCEPT TABLE meanwhile) changed LEFT JOIN used USING (attribute, slot);
SELECT * FROM same;
CALL join_one_by_one(5001, 5100);
SELECT * FROM same;
-- A change that is large itself is not passed on by halves.
UPDATE crowd SET members = abelian.add_all(members, ARRAY(SELECT 'guest ' || i FROM generate_series(1, 2000) i));
INSERT INTO member SELECT 'guest ' || i FROM generate_series(1, 2000) i;
CALL join_one_by_one(6001, 6100);
SELECT members, sizes FROM same;
TABLE greatest;
-- Overwriting removes all of them.
UPDATE crowd SET members = '{}', scores = '{}', best = abelian.top_k(500);
SELECT count(*) FROM abelian.slice;
ALTER SYSTEM RESET abelian.fold_interval;
SELECT pg_reload_conf();
