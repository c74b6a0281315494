-- What a transaction has deferred runs before it takes the gate, and as the client: nobody's trigger runs behind the gate, where it would hold
-- up all that spans several nodes, nor in a router's rights.
-- as: abelian
CREATE SCHEMA friends AUTHORIZATION friend;
-- as: friend
CREATE TABLE friends.seen (who text, gates bigint);
CREATE TABLE friends.late (i int);
CREATE FUNCTION friends.look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO friends.seen SELECT current_user, count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER look AFTER INSERT ON friends.late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION friends.look();
BEGIN;
INSERT INTO friends.late VALUES (1);
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1');
COMMIT;
BEGIN;
INSERT INTO friends.late VALUES (1);
SELECT abelian.commit_intent('00000000-0000-4000-8000-000000000001', 1, '{1,2}', '{}');
COMMIT;
BEGIN;
INSERT INTO friends.late VALUES (1);
PREPARE TRANSACTION 'abelian:1:00000000-0000-4000-8000-000000000001:1-2';
COMMIT PREPARED 'abelian:1:00000000-0000-4000-8000-000000000001:1-2';
SELECT * FROM friends.seen;
--= friend|0
--= friend|0
--= friend|0
-- as: abelian
DELETE FROM abelian.decision;
DELETE FROM abelian.intent;
