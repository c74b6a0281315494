-- The same for what an independent transaction has recorded: settings, and calls of distributed procedures.
-- as: client
CREATE TABLE clients.loot (what text);
CREATE TABLE clients.late (what text);
CREATE FUNCTION clients.who() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO clients.loot VALUES ('deferred: ' || current_user); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON clients.late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION clients.who();
CREATE FUNCTION clients.run(command text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE command; INSERT INTO clients.loot VALUES (current_user || ' ' || command); END $$;
CREATE PROCEDURE clients.act(command text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE command; INSERT INTO clients.loot VALUES (current_user || ' ' || command); END $$;
CREATE PROCEDURE clients.not_distributed() LANGUAGE sql AS $$ SELECT 1 $$;
CREATE PROCEDURE clients.commits() LANGUAGE plpgsql AS $$ BEGIN COMMIT; INSERT INTO clients.loot VALUES (current_user); END $$;
-- as: abelian
-- Declared by hand: a table that is distributed lies on other nodes.
INSERT INTO abelian.procedure SELECT signature, '{}', 'victims.orders', 'first', 'independent' FROM unnest('{clients.run(text),clients.act(text),clients.commits()}'::text[]) signature;
-- as: router
SELECT abelian.run_call('client', '', 1, '{1,2}', $$SELECT clients.run('SELECT 1')$$);
SELECT abelian.run_call('client', 'SET LOCAL work_mem = 100; SELECT pg_catalog.set_config(''search_path'', ''clients'', true)', 1, '{1,2}', $$CALL act('SELECT 2')$$);
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('RESET ROLE')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SET SESSION AUTHORIZATION DEFAULT')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT set_config(''role'', ''none'', false)')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT abelian.scram_verifier(''app'')')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT abelian.abort_decision(''x'')')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT abelian.run_call(''router'', '''', 1, ''{1}'', ''x'')')$$);
--! 42501
-- Nothing stays in the router's session.
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('PREPARE trap AS SELECT 1')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('DEALLOCATE ALL')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('LISTEN trap')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('LOAD ''plpgsql''')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('CREATE TEMP VIEW pg_prepared_xacts AS SELECT 1')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('EXPLAIN ANALYZE CREATE TEMP TABLE pg_prepared_xacts AS SELECT 1')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('DECLARE trap CURSOR WITH HOLD FOR SELECT clients.run(''x'')')$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.commits()$$);
--! 2D000
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT pg_advisory_lock(7), set_config(''search_path'', ''clients'', false), set_config(''abelian.participants'', ''1:1'', false)')$$);
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
--= 0
SHOW search_path;
--= "$user", public
SELECT current_setting('abelian.participants') = '' AS nobody, current_user, session_user;
--= t|router|router
-- Deferred triggers are fired in the role.
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('INSERT INTO clients.late VALUES (1)')$$);
-- One call, of a distributed procedure, behind settings for the transaction.
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT 3'); RESET ROLE$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$SELECT set_config('role', 'none', true)$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$INSERT INTO clients.loot VALUES (current_user)$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.not_distributed()$$);
--! 42501
SELECT abelian.run_call('client', '', 1, '{1,2}', $$$$);
--! 42501
SELECT abelian.run_call('client', 'RESET ROLE', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('client', 'SET work_mem = 100', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('client', 'SET LOCAL ROLE NONE', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('client', 'SELECT clients.run(''x'')', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('client', 'SELECT pg_catalog.set_config(''role'', ''none'', true)', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('client', 'SET LOCAL session_replication_role = replica', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
-- Only roles that the router was given.
SELECT abelian.run_call('stranger', '', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
SELECT abelian.run_call('abelian', '', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
-- as: client
SELECT abelian.run_call('client', '', 1, '{1,2}', $$CALL clients.act('SELECT 3')$$);
--! 42501
-- as: abelian
SELECT what FROM clients.loot ORDER BY what COLLATE "C";
--= client INSERT INTO clients.late VALUES (1)
--= client SELECT 1
--= client SELECT 2
--= client SELECT pg_advisory_lock(7), set_config('search_path', 'clients', false), set_config('abelian.participants', '1:1', false)
--= deferred: client
