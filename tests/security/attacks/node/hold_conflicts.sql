-- Who holds the conflicts of a transaction fails others, and keeps SERIALIZABLE ones over several nodes from committing.
SELECT abelian.hold_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1');
--! 42501
SELECT abelian.hold_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.hold_conflicts('nonsense', 'nonsense');
--! 42501
SELECT abelian.settle_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1', 'none');
--! 42501
SELECT abelian.settle_conflicts('abelian:1:00000000-0000-4000-8000-000000000001:1-1', 'none', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.snapshot_gate(1000, true);
--! 42501
SELECT abelian.listed_intents('{1}', '00000000-0000-4000-8000-000000000001', 0);
--! 42501
SELECT abelian.visible_intents('{1}', '00000000-0000-4000-8000-000000000001', 0);
--! 42501
-- What it has deferred anybody may do early, as SET CONSTRAINTS does.
SELECT abelian.finish_deferred();
-- as: abelian
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
--= 0
