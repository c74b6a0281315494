-- At the router's port: DEFERRABLE would have a node wait for others' transactions behind the commit gates, and with it everybody who commits.
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SAVEPOINT s;
LOCK TABLE pg_catalog.pg_class IN ACCESS SHARE MODE;
SHOW transaction_deferrable;
--= off
COMMIT;
