-- A decision of a stranger's would commit on one node what is rolled back on another, and bar what is to be committed.
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.decide('nonsense', 'nonsense');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1', NULL);
SELECT abelian.abort_decision('abelian:1:00000000-0000-4000-8000-000000000001:1-1');
--! 42501
INSERT INTO abelian.decision (gid, committed) VALUES ('abelian:1:00000000-0000-4000-8000-000000000001:1-1', true);
--! 42501
SELECT * FROM abelian.decision;
--! 42501
SELECT abelian.forget_commits('{x}'), abelian.forget_aborts('0'), abelian.forget_decisions('0', '{}');
--! 42501
-- as: abelian
SELECT count(*) FROM abelian.decision;
--= 0
