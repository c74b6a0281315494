-- What is prepared under a name of ours holds the gates until a router finishes it, and a name that is taken cannot be prepared by its router.
BEGIN;
CREATE TABLE strangers.t (i int);
PREPARE TRANSACTION 'abelian:1:00000000-0000-4000-8000-000000000001:1-1';
--! 42501
ROLLBACK;
SELECT abelian.vote('abelian:1:00000000-0000-4000-8000-000000000001:1-1', '1.00000000000000000000000000000000');
--! 40001
SELECT abelian.enter_commit_gate();
--! 42501
SELECT abelian.snapshot_gate(1000);
--! 42501
-- Other names are nobody's business.
BEGIN;
CREATE TABLE strangers.t (i int);
PREPARE TRANSACTION 'theirs';
ROLLBACK PREPARED 'theirs';
-- as: abelian
SELECT count(*) FROM pg_prepared_xacts;
--= 0
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory';
--= 0
