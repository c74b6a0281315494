-- as: abelian
-- Intents: done once whoever does it and however often; barred, closed and forgotten ones stay so.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, name text);
CREATE TABLE event (page int, what text);
INSERT INTO page VALUES (1, 0, 'a'), (2, 0, 'b');
GRANT SELECT, UPDATE ON page TO app;
GRANT INSERT ON event TO app;
\set r '''00000000-0000-0000-0000-000000000001''::uuid'
\set work '''{"1": [{"sql": "UPDATE public.page SET likes = likes + $1 WHERE id = $2", "types": [20, 23], "values": ["5", "1"]}], "2": [{"sql": "UPDATE public.page SET likes = likes + 7 WHERE id = 2", "types": [], "values": []}, {"sql": "INSERT INTO public.event VALUES ($1, $2)", "types": [23, 25], "values": [null, "it''''s \\\\ \\"quoted\\""]}]}'''
-- a session's own commit keeps the role, and is on disk
BEGIN;
SET LOCAL synchronous_commit = off;
SET LOCAL ROLE app;
UPDATE page SET likes = likes + 5 WHERE id = 1;
SELECT abelian.commit_intent(:r, 1, '{1,2}', :work);
SHOW synchronous_commit;
COMMIT;
SELECT number, committed, nodes, role FROM abelian.intent;
-- what is done is not done again
SELECT abelian.apply_intent(1, :r, 1, '{1,2}', 'app', :work);
SELECT likes FROM page WHERE id = 1;
BEGIN;
UPDATE page SET likes = likes + 5 WHERE id = 1;
SELECT abelian.commit_intent(:r, 1, '{1,2}', :work);
ROLLBACK;
SELECT abelian.bar_intent(:r, 1, '{1,2}');
-- another node's part, with values of all sorts; as the role whose work it is
SELECT abelian.apply_intent(2, :r, 2, '{1,2}', 'app', :work);
SELECT abelian.apply_intent(2, :r, 2, '{1,2}', 'app', :work);
SELECT likes FROM page WHERE id = 2;
SELECT page IS NULL, what FROM event;
SELECT current_user;
REVOKE INSERT ON event FROM app;
SELECT abelian.apply_intent(2, :r, 3, '{1,2}', 'app', :work);
SELECT count(*) FROM abelian.intent WHERE number = 3;
GRANT INSERT ON event TO app;
-- barred: no session commits it any more, but another node may turn out to have committed it
SELECT abelian.bar_intent(:r, 4, '{1,2}'), abelian.bar_intent(:r, 4, '{1,2}');
BEGIN;
SELECT abelian.commit_intent(:r, 4, '{1,2}', :work);
ROLLBACK;
SELECT abelian.apply_intent(1, :r, 4, '{1,2}', 'app', :work);
SELECT likes FROM page WHERE id = 1;
SELECT abelian.bar_intent(:r, 4, '{1,2}');
-- rows and tables that have gone since
DELETE FROM page WHERE id = 1;
SELECT abelian.apply_intent(1, :r, 5, '{1,2}', 'app', :work);
DROP TABLE event;
SELECT abelian.apply_intent(2, :r, 6, '{1,2}', 'app', :work);
SELECT likes FROM page WHERE id = 2;
-- what a read of both nodes must find on both
SELECT abelian.visible_intents('{2,3}', :r, 5);
SELECT abelian.visible_intents('{3}', :r, 0);
-- closed: sessions no more, completions yes
SELECT abelian.close_intents(:r, 9);
BEGIN;
SELECT abelian.commit_intent(:r, 8, '{1,2}', :work);
ROLLBACK;
SELECT abelian.apply_intent(2, :r, 8, '{1,2}', 'app', :work);
-- forgotten: nobody
SELECT abelian.forget_intents(:r, 9);
SELECT count(*) FROM abelian.intent;
SELECT abelian.apply_intent(2, :r, 8, '{1,2}', 'app', :work);
SELECT abelian.bar_intent(:r, 8, '{1,2}');
BEGIN;
SELECT abelian.commit_intent(:r, 8, '{1,2}', :work);
ROLLBACK;
SELECT abelian.forget_intents(:r, 3);
SELECT below, closed FROM abelian.intent_horizon;
SELECT likes FROM page WHERE id = 2;
-- users may commit their own, and nothing else
SET ROLE pg_monitor;
SELECT abelian.bar_intent(:r, 20, '{1,2}');
SELECT abelian.forget_intents(:r, 20);
SELECT abelian.apply_intent(2, :r, 20, '{1,2}', 'abelian', :work);
SELECT count(*) FROM abelian.intent;
