-- With abelian.strict_reads every read of a value holds it, wherever in a statement it stands; without, none does.
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, paid abelian.decimal_counter, title text);
INSERT INTO page SELECT i, i * 10, i + 0.5, 'p' || i FROM generate_series(1, 4) i;
CREATE TABLE mirror (id int PRIMARY KEY, likes abelian.counter);
CREATE VIEW popular AS SELECT id, likes FROM page WHERE likes >= 30;
CREATE FUNCTION read_held() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND objsubid = 11001 AND mode = 'ShareLock'
$$;
PREPARE earlier AS SELECT likes FROM page WHERE id = 2;
EXECUTE earlier;
BEGIN; SELECT sum(likes) FROM page; SELECT read_held(); COMMIT;

SET abelian.strict_reads = on;
BEGIN; EXECUTE earlier; SELECT read_held(); COMMIT;
BEGIN; SELECT likes, paid FROM page WHERE id = 1; SELECT read_held(); COMMIT;
BEGIN; SELECT id FROM page; SELECT read_held(); COMMIT;
BEGIN; SELECT sum(likes) + sum(paid) AS sum FROM page; SELECT read_held(); COMMIT;
BEGIN; SELECT likes, count(*) FROM page GROUP BY likes HAVING likes > 20 ORDER BY likes; SELECT read_held(); COMMIT;
BEGIN; SELECT likes FROM page GROUP BY id ORDER BY id; SELECT read_held(); COMMIT;
BEGIN; SELECT likes FROM page ORDER BY likes DESC LIMIT 1; SELECT read_held(); COMMIT;
BEGIN; SELECT likes FROM page ORDER BY id LIMIT 1; SELECT read_held(); COMMIT;
BEGIN; SELECT * FROM popular ORDER BY id; SELECT read_held(); COMMIT;
BEGIN; SELECT a.id FROM page a JOIN page b ON a.likes < b.likes WHERE b.id = 2; SELECT read_held(); COMMIT;
BEGIN; SELECT title FROM page p WHERE EXISTS (SELECT FROM page q WHERE q.likes > p.likes AND q.id = 2); SELECT read_held(); COMMIT;
BEGIN; WITH w AS (SELECT likes FROM page WHERE id = 3) SELECT * FROM w; SELECT read_held(); COMMIT;
BEGIN; SELECT likes FROM page WHERE id = 1 UNION ALL SELECT likes FROM page WHERE id = 2; SELECT read_held(); COMMIT;
BEGIN; INSERT INTO mirror SELECT id, likes FROM page; SELECT read_held(); COMMIT;
BEGIN; UPDATE mirror m SET likes = m.likes + p.likes FROM page p WHERE p.id = m.id AND m.id = 1; SELECT read_held(); COMMIT;
BEGIN; UPDATE mirror SET likes = likes + (SELECT likes FROM page WHERE id = 4) WHERE id = 2; SELECT read_held(); COMMIT;
SELECT * FROM mirror ORDER BY id;
BEGIN; INSERT INTO page AS p SELECT id, likes FROM mirror WHERE id < 3 ON CONFLICT (id) DO UPDATE SET likes = p.likes + EXCLUDED.likes; SELECT read_held(); ROLLBACK;
BEGIN; MERGE INTO mirror m USING page p ON m.id = p.id AND p.likes > 30 WHEN MATCHED THEN UPDATE SET likes = p.likes; SELECT read_held(); ROLLBACK;
-- Every type.
CREATE TABLE shop (id int PRIMARY KEY, stock abelian.bounded_counter(0), buyers abelian.set, bid abelian.max, tags abelian.multiset);
INSERT INTO shop VALUES (1, 5, ARRAY['ann']::text[]::abelian.set, 3, NULL);
BEGIN; SELECT stock FROM shop; SELECT read_held(); COMMIT;
BEGIN; SELECT abelian.size(buyers), abelian.contains(buyers, 'ann') FROM shop; SELECT read_held(); COMMIT;
BEGIN; SELECT stock, buyers, bid, tags IS NULL AS untagged FROM shop WHERE bid < 4; SELECT read_held(); COMMIT;
UPDATE shop SET stock = stock - 1, buyers = abelian.add(buyers, 'bob');
BEGIN; SELECT stock, abelian.size(buyers) FROM shop; SELECT read_held(); COMMIT;
BEGIN; SELECT likes FROM page WHERE id = 1 FOR UPDATE; SELECT read_held(); COMMIT;
BEGIN; UPDATE page SET likes = likes + 1 WHERE id = 1; SELECT likes FROM page WHERE id = 1; SELECT read_held(); ROLLBACK;
BEGIN; DO $$ BEGIN PERFORM likes FROM page WHERE id = 1; END $$; SELECT read_held(); COMMIT;
BEGIN; DECLARE c CURSOR FOR SELECT likes FROM page ORDER BY id; FETCH 2 FROM c; SELECT read_held(); COMMIT;
-- A savepoint that is rolled back gives back what was read since.
BEGIN; SAVEPOINT s; SELECT likes FROM page WHERE id = 1; ROLLBACK TO s; SELECT read_held(); COMMIT;
-- More than the lock table takes one by one.
SET abelian.lock_escalation = 2;
BEGIN; SELECT sum(likes) FROM page; SELECT read_held() <= 3 AS escalated; COMMIT;
RESET abelian.lock_escalation;
-- An object without identity has its row to lock.
ALTER TABLE page ADD COLUMN seen abelian.counter DEFAULT 50;
BEGIN; SELECT seen FROM page WHERE id = 3; SELECT read_held(); COMMIT;
-- What cannot be held is refused.
SELECT p FROM page p WHERE id = 1;
SET abelian.strict_reads = off;
BEGIN; EXECUTE earlier; SELECT read_held(); COMMIT;
