-- One entry that is pending holds up everything that spans several nodes; 512 fill the server; a record would be run elsewhere.
SELECT abelian.independent_propose('x', 1, '{1}', '{1}', 0);
--! 42501
SELECT abelian.independent_propose('00000000-0000-4000-8000-000000000001:1-1', 1, '{1}', '{1}', 0, '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.independent_propose('x', 1, '{1}', '{1}', 0, 'x');
--! 42501
SELECT abelian.independent_run('x', 1, 1, '{1}', 'x');
--! 42501
SELECT abelian.independent_run('00000000-0000-4000-8000-000000000001:1-1', 1, 1, '{1}', 'x', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.independent_run_calls('x', 1, 1, '{1}', 'x');
--! 42501
SELECT abelian.independent_run_calls('00000000-0000-4000-8000-000000000001:1-1', 1, 1, '{1}', 'x', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.independent_advance(9e18::bigint);
--! 42501
SELECT abelian.independent_advance(9e18::bigint, '00000000-0000-4000-8000-000000000001', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.independent_state();
--! 42501
SELECT abelian.independent_flush();
--! 42501
SELECT abelian.tell_calls(1, '{1}');
--! 42501
SELECT abelian.independent_freeze('x'), abelian.independent_cancel('x'), abelian.independent_complete('x', 1, '{1}', 'x', 'stranger', NULL);
--! 42501
SELECT abelian.independent_turn('x', 1);
--! 42501
SELECT abelian.independent_fence(1, 9);
--! 42501
SELECT abelian.independent_next_run(), abelian.independent_begin_run(9), abelian.independent_open_lane(9, 9), abelian.independent_open(9);
--! 42501
SELECT abelian.independent_unblock('0');
--! 42501
SELECT * FROM abelian.independent_record;
--! 42501
UPDATE abelian.independent_lane SET at = 9e18;
--! 42501
-- as: abelian
SELECT abelian.independent_pending(-1000), abelian.independent_state();
--= {}|{0,0,0}
