-- Whatever an intent says, recovery runs it as the role that wrote it: the text cannot become the router, nor leave anything that the router
-- trips over later.
-- as: client
CREATE TABLE clients.loot (what text);
CREATE TABLE clients.counted (id int PRIMARY KEY, n abelian.counter);
INSERT INTO clients.counted VALUES (1, 0);
CREATE FUNCTION clients.reset_role() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RESET ROLE; INSERT INTO clients.loot VALUES (current_user); RETURN true; END $$;
CREATE FUNCTION clients.authorize() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RESET SESSION AUTHORIZATION; INSERT INTO clients.loot VALUES (current_user); RETURN true; END $$;
CREATE DOMAIN clients.trap AS int CHECK (clients.reset_role());
CREATE FUNCTION clients.who() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO clients.loot VALUES (current_user); RETURN NULL; END $$;
CREATE FUNCTION clients.immutable_who(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM set_config('role', 'none', true); RETURN 1; END $$;
-- as: router
CREATE FUNCTION pg_temp.apply(operation jsonb, number int) RETURNS boolean LANGUAGE sql AS $$
  SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', number, '{1,2}', 'client', jsonb_build_object('2', jsonb_build_array(operation))::text)
$$;
CREATE FUNCTION pg_temp.sql(text text) RETURNS jsonb LANGUAGE sql AS $$ SELECT jsonb_build_object('sql', text, 'types', '[]'::jsonb, 'values', '[]'::jsonb) $$;
SELECT pg_temp.apply(pg_temp.sql($$SELECT set_config('role', 'none', true)$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$RESET ROLE$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$UPDATE clients.counted SET n = n + 1 WHERE id = 1; RESET ROLE$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$INSERT INTO clients.loot VALUES (set_config('role', 'none', true))$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$INSERT INTO clients.loot SELECT abelian.scram_verifier('app')$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$INSERT INTO clients.loot VALUES (clients.reset_role()::text)$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$INSERT INTO clients.loot VALUES ((SELECT 'x'))$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$WITH x AS (SELECT clients.reset_role()) INSERT INTO clients.loot SELECT 'x' FROM x$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$DELETE FROM clients.loot$$), 1);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$INSERT INTO clients.loot VALUES ('x') RETURNING clients.reset_role()$$), 1);
--! 42501
-- What looks harmless calls the client's functions: as the client, who cannot leave. 42501 is what SET ROLE says there.
SELECT pg_temp.apply('{"sql": "INSERT INTO clients.loot VALUES ($1::text)", "types": [23], "values": ["1"]}', 1);
--= t
SELECT pg_temp.apply(jsonb_build_object('sql', 'UPDATE clients.counted SET n = n + 1 WHERE id = $1', 'types', jsonb_build_array('clients.trap'::regtype::oid::bigint), 'values', '["1"]'::jsonb), 2);
--! 42501
SELECT pg_temp.apply(pg_temp.sql($$UPDATE clients.counted SET n = n + 1 WHERE id = clients.immutable_who(1)$$), 2);
--! 42501
-- as: client
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON clients.loot DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.what = 'late') EXECUTE FUNCTION clients.who();
-- as: router
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 3, '{1,2}', 'client', '{"2":[{"sql":"INSERT INTO clients.loot VALUES (''late'')","types":[],"values":[]}]}');
--= t
-- Bad texts are errors, not accidents.
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'client', 'x');
--! 22P02
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'client', '{"2":[1]}');
--! 42501
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'client', '{"2":{"sql":1}}');
--! 42501
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'client', '{"2":[{"sql":"","types":[],"values":[]}]}');
--! 42501
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'client', '{"2":[{"sql":"INSERT INTO clients.loot VALUES ($1)","types":[2281],"values":["x"]}]}');
--! 0A000
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 4, '{1,2}', 'nobody', '{}');
--! 42704
SELECT current_user, session_user, current_setting('role');
--= router|router|none
-- as: abelian
SELECT what FROM clients.loot ORDER BY what;
--= 1
--= client
--= late
SELECT number, role FROM abelian.intent ORDER BY number;
--= 1|client
--= 3|client
