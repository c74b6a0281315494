-- By the label of another's session one could be taken for it where deadlocks over nodes are looked for, and have it cancelled.
SET abelian.session = '00000000-0000-4000-8000-000000000001:7';
SELECT abelian.session_label(pg_backend_pid());
--! 42501
-- as: abelian
CREATE EXTENSION dblink;
SELECT dblink_connect(role, format('host=127.0.0.1 port=%s dbname=%s user=%s password=%s', current_setting('port'), current_database(), role, role)) FROM unnest('{stranger,friend}'::text[]) role;
--= OK
--= OK
SELECT dblink_exec(role, $$SET abelian.session = '00000000-0000-4000-8000-000000000001:7'$$) FROM unnest('{stranger,friend}'::text[]) role;
--= SET
--= SET
CREATE TEMP TABLE backend AS SELECT role, pid FROM unnest('{stranger,friend}'::text[]) role, dblink(role, 'SELECT pg_backend_pid()') AS t(pid int);
SELECT role, abelian.session_label(pid) FROM backend ORDER BY role;
--= friend|00000000-0000-4000-8000-000000000001:7
--= stranger|
SELECT dblink_exec('stranger', $$SET abelian.session = '00000000-0000-4000-8000-000000000001:7:00000000000000000000000000000000'$$);
--= SET
SELECT role, abelian.session_label(pid) FROM backend WHERE role = 'stranger';
--= stranger|
