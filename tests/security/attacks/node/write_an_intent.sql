-- A stranger for whom the router acts writes an intent: recovery would run it on another node.
-- as: client
SELECT abelian.commit_intent('00000000-0000-4000-8000-000000000001', 1, '{1,2}', '{"2":[{"sql":"select 1","types":[],"values":[]}]}');
--! 42501
SELECT abelian.commit_intent('00000000-0000-4000-8000-000000000001', 1, '{1,2}', '{"2":[]}', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 1, '{1,2}', 'client', '{"2":[]}');
--! 42501
SELECT abelian.bar_intent('00000000-0000-4000-8000-000000000001', 1, '{1,2}'), abelian.close_intents('00000000-0000-4000-8000-000000000001', 9), abelian.forget_intents('00000000-0000-4000-8000-000000000001', 9);
--! 42501
INSERT INTO abelian.intent VALUES ('00000000-0000-4000-8000-000000000001', 1, true, '{1,2}', 'victim', '{}');
--! 42501
SELECT * FROM abelian.intent;
--! 42501
SELECT * FROM abelian.intent_horizon;
--! 42501
SELECT abelian.run_operations('client', '[]');
--! 42501
-- as: friend
-- A router's own role writes intents by functions, and in roles that it has.
INSERT INTO abelian.intent VALUES ('00000000-0000-4000-8000-000000000001', 1, true, '{1,2}', 'victim', '{}');
--! 42501
UPDATE abelian.intent_horizon SET below = 9;
--! 42501
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 1, '{1,2}', 'victim', '{"2":[]}');
--! 42501
SELECT abelian.apply_intent(2, '00000000-0000-4000-8000-000000000001', 1, '{1,2}', 'abelian', '{"2":[]}');
--! 42501
-- as: abelian
SELECT count(*) FROM abelian.intent;
--= 0
