-- as: abelian
-- Changes through updatable views: the statement without the view, how rows move through one, and what stays as it is.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE t (k int PRIMARY KEY, gone int, n int, x text DEFAULT 'x');
ALTER TABLE t DROP COLUMN gone;
CREATE TABLE c (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);
CREATE TABLE hidden (k int PRIMARY KEY, n int);
CREATE TABLE o (k int PRIMARY KEY, n int);
SELECT create_distributed_table(name, key) FROM (VALUES ('t'::regclass, 'k'), ('c', 'id'), ('hidden', 'k'), ('o', 'k')) v(name, key);
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
CREATE VIEW plain AS SELECT x AS "Name", k, n, n + k AS s FROM t WHERE n > 0;
CREATE VIEW outermost AS SELECT s AS n, k AS x FROM plain WHERE s < 90;
CREATE VIEW guarded WITH (security_barrier) AS SELECT k, n, x FROM t WHERE n > 0;
CREATE VIEW checked AS SELECT n, k, x FROM t WHERE n > 0 WITH CHECK OPTION;
CREATE VIEW other AS SELECT k, n, (SELECT max(o.n) FROM o) AS most FROM t WHERE n IN (SELECT o.n FROM o);
CREATE VIEW counted AS SELECT n AS m, id AS i FROM c;
CREATE VIEW secret AS SELECT k, n FROM hidden;
CREATE VIEW grouped AS SELECT n, count(*) FROM t GROUP BY n;
ALTER VIEW counted ALTER m SET DEFAULT 7;

-- From its minor versions of November 2026 on PostgreSQL writes AS before the other name of a table that is changed.
CREATE FUNCTION told(query text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT regexp_replace(regexp_replace(line, '\s+', ' ', 'g'), ': (UPDATE|DELETE FROM) (\w+) AS ', ': \1 \2 ') FROM (SELECT abelian.analyze(query)::jsonb->0) a(s), LATERAL (VALUES
    (query), ('  below: ' || (s->'inlined'->>'text')), ('  then:  ' || (s->'inlined'->'facts'->'inlined'->>'text')),
    ('  delete: ' || coalesce(s->'gathered'->>'source', s->'inlined'->'facts'->'gathered'->>'source')),
    ('  insert: ' || coalesce(s->'insert'->'gathered'->>'insert', s->'gathered'->>'insert', s->'inlined'->'facts'->'gathered'->>'insert')),
    ('  keys: ' || coalesce(s->'insert'->'gathered'->>'keys', s->'gathered'->>'keys')), ('  combine: ' || (s->'merge'->>'combine')), ('  not moved: ' || (s->>'unmoved'))) l(line)
  WHERE line IS NOT NULL
$$;

SELECT told('UPDATE plain SET n = n + 1, "Name" = DEFAULT WHERE s > $1 RETURNING *');
SELECT told('UPDATE plain p SET n = o.n FROM o WHERE o.n = p.s RETURNING "Name"');
SELECT told('UPDATE outermost SET x = x + 1 RETURNING n');
SELECT told('DELETE FROM guarded WHERE k = 3 AND 1 / n > 2');
SELECT told('DELETE FROM other WHERE k < most');
SELECT told('INSERT INTO plain (k, n) SELECT n, k FROM o ON CONFLICT (k) DO UPDATE SET n = excluded.s + plain.s');
SELECT told('INSERT INTO counted DEFAULT VALUES RETURNING i');
SELECT told('INSERT INTO counted (i) OVERRIDING SYSTEM VALUE VALUES (1), (2)');
SELECT told('INSERT INTO counted (i, m) VALUES (DEFAULT, DEFAULT), (DEFAULT, 2)'); -- several rows would need the default
SELECT told('UPDATE checked SET k = k + 1 RETURNING n');
SELECT told('UPDATE checked SET n = o.n FROM o WHERE o.n = checked.k');
SELECT told('INSERT INTO checked SELECT n, k FROM o');
SELECT told('DELETE FROM checked WHERE n IN (SELECT n FROM o)');
SELECT told('UPDATE c SET id = DEFAULT WHERE n = 1');
-- as they are
SELECT told('UPDATE secret SET n = 1');
SELECT told('UPDATE plain SET n = 1 RETURNING plain');
SELECT told('UPDATE c SET n = 1');
-- who may change the view alone
CREATE ROLE below_view_user;
GRANT USAGE ON SCHEMA abelian TO below_view_user;
GRANT SELECT, UPDATE, DELETE ON plain, checked TO below_view_user;
GRANT SELECT ON o TO below_view_user;
SET ROLE below_view_user;
SELECT told('UPDATE plain SET n = n + 1');
SELECT told('UPDATE plain SET n = o.n FROM o WHERE o.n = plain.s');
RESET ROLE;
GRANT SELECT, UPDATE ON t TO below_view_user;
REVOKE UPDATE ON plain FROM below_view_user;
SET ROLE below_view_user;
SELECT told('UPDATE plain SET n = n + 1');
RESET ROLE;
GRANT UPDATE ON plain TO below_view_user;
SET ROLE below_view_user;
SELECT told('UPDATE plain SET n = n + 1');
RESET ROLE;
DROP OWNED BY below_view_user;
DROP ROLE below_view_user;
