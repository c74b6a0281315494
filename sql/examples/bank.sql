-- A bank over several nodes: a transfer commits on two nodes in one round, two-phase only where it may be refused, and every reader sees it
-- wholly or not at all.
-- Runs on: cluster.
CREATE SCHEMA bank;
SET search_path = bank;

CREATE TABLE account (
  id bigint PRIMARY KEY,
  owner text NOT NULL,
  balance abelian.decimal_counter NOT NULL DEFAULT 0
);
SELECT create_distributed_table('account', 'id', colocate_with => 'none');
INSERT INTO account SELECT i, 'customer ' || i, 100 FROM generate_series(1, 30) i;

-- Accounts 1 and 2 lie on different nodes. Both assignments add, so that no order of transfers matters and nothing has to be prepared.
SET abelian.commit_notice = on;
BEGIN;
UPDATE account SET balance = balance - 12.50 WHERE id = 1;
UPDATE account SET balance = balance + 12.50 WHERE id = 2;
COMMIT;

-- A transfer that reads a balance before it decides takes two-phase commit.
BEGIN;
SELECT balance FROM account WHERE id = 1 FOR UPDATE;
UPDATE account SET balance = balance - 80 WHERE id = 1;
UPDATE account SET balance = balance + 80 WHERE id = 2;
COMMIT;
RESET abelian.commit_notice;

SELECT id, balance FROM account WHERE id IN (1, 2) ORDER BY id;
-- The sum over all nodes never changes, whatever is under way.
SELECT count(*) AS accounts, sum(balance) AS total FROM account;

-- With an overdraft limit, which each account has for itself. A withdrawal waits for others only where it depends on how they end whether
-- the limit is kept. Since it may be refused, this transfer takes two-phase commit.
CREATE TABLE limited_account (
  id bigint PRIMARY KEY,
  overdraft numeric NOT NULL DEFAULT 0,
  balance abelian.bounded_decimal(2) NOT NULL DEFAULT 0,
  CONSTRAINT covered CHECK (balance >= -overdraft)
);
SELECT create_distributed_table('limited_account', 'id', colocate_with => 'none');
INSERT INTO limited_account VALUES (1, 50, 100), (2, 0, 100);
BEGIN;
UPDATE limited_account SET balance = balance - 149.99 WHERE id = 1;
UPDATE limited_account SET balance = balance + 149.99 WHERE id = 2;
COMMIT;
-- Beyond the limit: an error, or no row where a condition asks.
UPDATE limited_account SET balance = balance - 0.02 WHERE id = 1;
UPDATE limited_account SET balance = balance - 0.02 WHERE id = 1 AND balance - 0.02 >= -overdraft;
SELECT id, overdraft, balance FROM limited_account ORDER BY id;

-- A transfer that is rolled back leaves nothing on any node.
BEGIN;
UPDATE account SET balance = balance - 1000 WHERE id = 3;
UPDATE account SET balance = balance + 1000 WHERE id = 4;
ROLLBACK;
SELECT min(balance), max(balance), sum(balance) FROM account;

DROP SCHEMA bank CASCADE;
