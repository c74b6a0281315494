-- Who waits may be seen by all, as in pg_stat_activity; what he runs and which row he waits for may not.
-- as: abelian
CREATE EXTENSION dblink;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC;
SELECT format('host=127.0.0.1 port=%s dbname=%s user=victim password=victim', current_setting('port'), current_database()) AS victim \gset
SELECT dblink_connect('one', :'victim'), dblink_connect('two', :'victim');
--= OK|OK
SELECT dblink_exec('one', $$BEGIN; UPDATE victims.page SET likes = 7 WHERE id = 1$$);
--= UPDATE 1
SELECT dblink_send_query('two', $$UPDATE victims.page SET likes = likes + 1 WHERE id = 1 AND 'password' <> 'x'$$);
--= 1
SELECT set_config('attack.two', dblink_is_busy('two')::text, false);
--= 1
DO $$ BEGIN FOR look IN 1..400 LOOP EXIT WHEN EXISTS (SELECT FROM abelian.waits); PERFORM pg_sleep(0.02); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$;
SELECT count(*), count(key), count(statement) FROM abelian.waits;
--= 1|1|1
SET SESSION AUTHORIZATION stranger;
SELECT count(*), count(key), bool_or(statement ~ 'password'), bool_or(blocker_statement ~ 'likes') FROM abelian.waits;
--= 1|0|f|f
RESET SESSION AUTHORIZATION;
SELECT dblink_exec('one', 'ROLLBACK');
--= ROLLBACK
SELECT count(*) FROM dblink_get_result('two') AS t(tag text);
--= 1
