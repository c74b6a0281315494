-- A stranger on a node makes an index forget what his rows changed, writes entries, or asks for those of others.
SELECT * FROM abelian.take_lookup_changes('00000000-0000-4000-8000-000000000001', NULL);
--! 42501
SELECT * FROM abelian.take_lookup_changes('00000000-0000-4000-8000-000000000001', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.apply_lookup_changes('00000000-0000-4000-8000-000000000001', '[]', NULL);
--! 42501
SELECT abelian.find_lookup_entry('00000000-0000-4000-8000-000000000001', 1, 'a', NULL);
--! 42501
SELECT abelian.find_lookup_entry(NULL, 1, 'a', '1.00000000000000000000000000000000');
--! 42501
DELETE FROM abelian.lookup_change;
--! 42501
SELECT * FROM abelian.lookup_change;
--! 42501
INSERT INTO abelian.lookup_index VALUES (1, 'pg_class', 1, 'pg_class', 'pg_class');
--! 42501
SELECT abelian.forget_lookup_index(1);
--! 42501
SELECT abelian.check_lookup_seal(NULL, NULL, NULL);
--! 42501
SELECT create_lookup_index('victims.orders', 'id');
--! 55000
SELECT abelian.place_lookup_index('victims.orders', 'id');
--! 55000
SELECT abelian.remove_lookup_index('victims.orders', 'id');
--! 55000
