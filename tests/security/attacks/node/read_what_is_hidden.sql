-- What was not granted cannot be read by way of slices, views, or the functions below them.
SELECT title FROM victims.page;
--! 42501
SELECT * FROM abelian.slice;
--! 42501
SELECT * FROM abelian.split_objects;
--! 42501
SELECT * FROM abelian.locks;
--! 42501
SELECT * FROM abelian.statistics;
--! 42501
SELECT abelian.row_key('victims.page'::regclass, '(0,1)');
SELECT abelian.object_column('victims.page'::regclass, '(0,1)', n) FROM generate_series(1, 100) n WHERE abelian.object_column('victims.page'::regclass, '(0,1)', n) IS NOT NULL;
SELECT abelian.newest(1::bigint::abelian.counter, '(0,1)', 'victims.page'::regclass, 2);
--! 42501
SELECT abelian.newest(NULL::abelian.set, '(0,1)', 'victims.page'::regclass, 3);
SELECT abelian.newest('{x}'::text[]::abelian.set, '(0,1)', 'victims.page'::regclass, 3);
--! 42501
SELECT abelian.newest_element('{x}'::text[]::abelian.set, 'secret', '(0,1)', 'victims.page'::regclass, 3);
--! 42501
SELECT abelian.lock_row('(0,1)', 'victims.page'::regclass, 1);
--! 42501
SELECT abelian.keep(1::bigint::abelian.counter, '(0,1)', 'victims.page'::regclass);
--! 42501
-- An object's identity, made up, is no way to its slices.
CREATE TABLE strangers.mine (n abelian.counter);
SELECT 'x'::abelian.counter;
--! 22P02
SELECT scram_verifier FROM abelian.scram_verifier('victim');
--! 42501
SELECT * FROM abelian.wait_edges();
--! 42501
SELECT abelian.session_label(pg_backend_pid());
--! 42501
-- What a node tells everybody is where tables lie.
SELECT count(*) FROM abelian.placement;
--= 1
