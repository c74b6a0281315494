-- At the router's port, with a login and nothing else: what only a router says is refused, whoever wraps it in what.
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.vote('abelian:1:00000000-0000-4000-8000-000000000001:1-1', 'x');
--! 42501
SELECT abelian.commit_intent('00000000-0000-4000-8000-000000000001', 1, '{1,2}', '{"2":[{"sql":"SELECT 1","types":[],"values":[]}]}');
--! 42501
SELECT abelian.independent_propose('00000000-0000-4000-8000-000000000001:1', 1, '{1,2}', '{1,1}', 1);
--! 42501
SELECT abelian.independent_run('00000000-0000-4000-8000-000000000001:1', 1, 1, '{1,2}', 'SELECT 1');
--! 42501
SELECT abelian.independent_advance(9223372036854775807);
--! 42501
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000001', 1, 'x');
--! 42501
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000001', 1, 0, 0, 'x');
--! 42501
SELECT abelian.router_key('00000000-0000-4000-8000-000000000001');
--! 42501
SELECT abelian.scram_verifier('app');
--! 42501
SELECT abelian.hold_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.settle_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1', 'none');
--! 42501
SELECT abelian.enter_snapshot_gate();
--! 42501
SELECT abelian.enter_commit_gate();
--! 42501
EXPLAIN ANALYZE SELECT abelian.enter_commit_gate();
--! 42501
SELECT abelian.add_node('127.0.0.1', 9);
--! 42501
SELECT abelian.remove_node(3);
--! 42501
SELECT abelian.install_catalog('{}');
--! 42501
SELECT * FROM abelian.wait_edges();
--! 42501
COPY abelian.intent TO STDOUT;
--! 42501
PREPARE TRANSACTION 'abelian:1:00000000-0000-4000-8000-000000000001:1-1';
--! 0A000
COMMIT PREPARED 'abelian:1:00000000-0000-4000-8000-000000000001:1-1';
--! 0A000
SET ROLE router;
--! 42501
SET SESSION AUTHORIZATION router;
--! 42501
SELECT set_config('role', 'router', false);
--! 42501
SELECT count(*) FROM pg_terminate_backend((SELECT pid FROM pg_stat_activity WHERE usename = 'router' LIMIT 1)) t;
--! 42501
-- as: abelian node
SELECT (SELECT count(*) FROM abelian.intent) + (SELECT count(*) FROM abelian.independent_record) + (SELECT count(*) FROM abelian.decision WHERE gid LIKE '%00000000-0000-4000-8000-000000000001%');
--= 0
