-- Errors that tell routers something, raised by a client's functions: the client's errors, and no router runs anything for ever.
-- as: abelian
CREATE SCHEMA forges AUTHORIZATION client;
-- as: client
CREATE TABLE forges.t (id int PRIMARY KEY, n int);
SELECT create_distributed_table('forges.t', 'id');
INSERT INTO forges.t VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
CREATE FUNCTION forges.raise(int, code text, more text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = code, MESSAGE = 'x', DETAIL = more, CONSTRAINT = 'router_key'; END $$;
CREATE PROCEDURE forges.act(key int, code text, more text) LANGUAGE plpgsql AS $$
  BEGIN UPDATE forges.t SET n = n + 1 WHERE id = key; RAISE EXCEPTION USING ERRCODE = code, MESSAGE = 'x', DETAIL = more, CONSTRAINT = 'router_key'; END $$;
SELECT create_distributed_procedure('forges.act(int,text,text)', 'key', 'forges.t');
SELECT forges.raise(id, 'AB001', 'version 9') FROM forges.t WHERE id = 1;
--! 40001
SELECT forges.raise(id, 'AB001', 'version 9') FROM forges.t;
--! 40001
SELECT forges.raise(id, 'AB002', 'Missing nodes: 2, 3, 2147483647.') FROM forges.t;
--! 40001
SELECT forges.raise(id, 'AB003', '[]') FROM forges.t WHERE id = 1;
--! AB003
SELECT forges.raise(id, '40001', '') FROM forges.t;
--! 40001
CALL forges.act(1, 'AB001', 'version 9');
--! 40001
CALL forges.act(1, 'AB002', 'Missing nodes: 2, 3.');
--! 40001
CALL forges.act(1, 'AB002', 'Missing nodes: 2147483647, 99.');
--! 40001
CALL forges.act(1, 'AB003', 'garbage');
--! AB003
CALL forges.act(1, '40001', 'garbage');
--! 40001
CALL forges.act(1, '57P01', 'garbage');
--! 57P01
-- What the router believed of its keys does not stop others, nor the client itself.
-- as: stranger
SELECT 1;
--= 1
-- as: client
SELECT sum(n) FROM forges.t;
--= 21
DROP SCHEMA forges CASCADE;
