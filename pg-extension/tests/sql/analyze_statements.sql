-- as: abelian
-- Facts about statements of every kind: what restricts a distribution column and what does not, inserts, utility commands.
SET client_min_messages = warning;
\set VERBOSITY default
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE a (k int PRIMARY KEY, x int, t text);
CREATE TABLE b (k int, id int, x int DEFAULT 7, t text, PRIMARY KEY (k, id));
CREATE TABLE n (k numeric(9,0) PRIMARY KEY, v varchar(5));
CREATE TABLE s (k text PRIMARY KEY, v int);
CREATE TABLE c (k char(4) PRIMARY KEY, v int);
CREATE TABLE o (k boolean, v int);
CREATE TABLE r (id int PRIMARY KEY, t text);
CREATE TABLE plain (id int, k int, at timestamptz DEFAULT now());
CREATE TABLE serials (k int, id serial, PRIMARY KEY (k, id));
SELECT create_distributed_table(t, 'k') FROM unnest('{a,b,n,s,c,o,serials}'::regclass[]) t;
SELECT create_reference_table('r');
CREATE VIEW both_views AS SELECT a.k, a.x, b.id FROM a JOIN b USING (k);
CREATE FUNCTION reads(int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM a WHERE x = $1';
CREATE FUNCTION pure(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE PROCEDURE work(int) LANGUAGE plpgsql AS 'BEGIN END';

-- relation.column = its values | in lists, for each class of equal columns
CREATE FUNCTION name(statement jsonb, col jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT (statement->'relations'->(col->>0)::int->>'name') || (col->>0) || '.' || (col->>1)
$$;
CREATE FUNCTION value(v jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce('$' || (v->>'param') || coalesce('::' || (v->>'cast'), ''), quote_literal(v->>'const'), '$' || (v->>'param_array') || '[]',
                  CASE WHEN v ? 'null' THEN 'NULL' WHEN v ? 'default' THEN 'DEFAULT' WHEN v ? 'column' THEN v->>'column' ELSE coalesce(v->>'expression', '?') END)
$$;
CREATE FUNCTION equal(query text, types regtype[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(concat_ws(' = ',
           (SELECT string_agg(name(statement, c), ' = ' ORDER BY name(statement, c)) FROM jsonb_array_elements(e->'columns') c),
           (SELECT string_agg(value(v), ' = ') FROM jsonb_array_elements(e->'values') v),
           (SELECT string_agg('any(' || (SELECT string_agg(value(v), ',') FROM jsonb_array_elements(l) v) || ')', ' = ') FROM jsonb_array_elements(e->'in') l)),
         '; '), '-')
    FROM (SELECT abelian.analyze(query, types::oid[])::jsonb->0) f(statement), jsonb_array_elements(statement->'equalities') e
$$;
\t off
SELECT equal(statement) AS equalities, statement FROM (VALUES
  ('SELECT * FROM a WHERE k = 5'), ('SELECT * FROM a WHERE 5 = k AND x > 1'), ('SELECT * FROM a WHERE k = 2 + 3'), ('SELECT * FROM a WHERE k = ''5'''),
  ('SELECT * FROM a WHERE k = $1'), ('SELECT * FROM a WHERE k = $1::int'), ('SELECT * FROM a WHERE k = $1::bigint'), ('SELECT * FROM a WHERE k = $1::smallint'),
  ('SELECT * FROM a WHERE k = $1::numeric'), ('SELECT * FROM a WHERE k = $1::float8'), ('SELECT * FROM a WHERE k = 5.5'), ('SELECT * FROM a WHERE k = $1 + 1'),
  ('SELECT * FROM a WHERE k::text = $1'), ('SELECT * FROM a WHERE k + 0 = $1'), ('SELECT * FROM a WHERE -k = 5'), ('SELECT * FROM a WHERE k = x'),
  ('SELECT * FROM a WHERE k = NULL'), ('SELECT * FROM a WHERE k IS NULL'), ('SELECT * FROM a WHERE k <> 5'), ('SELECT * FROM a WHERE k BETWEEN 5 AND 5'),
  ('SELECT * FROM a WHERE NOT k = 5'), ('SELECT * FROM a WHERE NOT (k <> 5)'), ('SELECT * FROM a WHERE k = 5 OR x = 1'), ('SELECT * FROM a WHERE k = 5 OR k = $1'),
  ('SELECT * FROM a WHERE (k = 5 AND x = 1) OR (k = 6 AND x = 2)'), ('SELECT * FROM a WHERE (k, x) IN ((1, 2), (3, 4))'), ('SELECT * FROM a WHERE (k, x) = (1, 2)'),
  ('SELECT * FROM a WHERE k IN (1, 2, $1)'), ('SELECT * FROM a WHERE k IN (1)'), ('SELECT * FROM a WHERE k NOT IN (1, 2)'), ('SELECT * FROM a WHERE k = ANY (''{1,NULL,3}'')'),
  ('SELECT * FROM a WHERE k = ANY ($1)'), ('SELECT * FROM a WHERE k = ANY (ARRAY[1, $1])'), ('SELECT * FROM a WHERE k <> ALL (''{1}'')'), ('SELECT * FROM a WHERE k IN (1, x)'),
  ('SELECT * FROM a WHERE k = 1 AND k IN (1, 2)'), ('SELECT * FROM a WHERE k = random()'), ('SELECT * FROM a WHERE k = (SELECT 5)'), ('SELECT * FROM a WHERE k = pure(4)'),
  ('SELECT * FROM a WHERE coalesce(k, 0) = 5'), ('SELECT * FROM a WHERE CASE WHEN true THEN k END = 5'), ('SELECT * FROM a WHERE k = 5 IS TRUE'),
  ('SELECT * FROM n WHERE k = 5'), ('SELECT * FROM n WHERE k = $1::int'), ('SELECT * FROM s WHERE k = ''x'''), ('SELECT * FROM s WHERE k = $1::varchar'),
  ('SELECT * FROM s WHERE k COLLATE "C" = $1'), ('SELECT * FROM s WHERE lower(k) = $1'), ('SELECT * FROM s WHERE k LIKE ''x'''), ('SELECT * FROM c WHERE k = ''ab'''),
  ('SELECT * FROM c WHERE k = $1::text'), ('SELECT * FROM o WHERE k'), ('SELECT * FROM o WHERE NOT k'), ('SELECT * FROM o WHERE k = true'),
  -- joins
  ('SELECT * FROM a, b WHERE a.k = b.k AND b.k = 5'), ('SELECT * FROM a JOIN b ON a.k = b.k WHERE a.k = $1'), ('SELECT * FROM a JOIN b USING (k) WHERE k = 5'),
  ('SELECT * FROM a NATURAL JOIN n WHERE k = 5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND b.k = 5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.k = 5'),
  ('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE a.k = 5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE b.k = 5'), ('SELECT * FROM a RIGHT JOIN b ON a.k = b.k AND a.k = 5'),
  ('SELECT * FROM a FULL JOIN b ON a.k = b.k AND a.k = 5'), ('SELECT * FROM a FULL JOIN b USING (k) WHERE k = 5'), ('SELECT * FROM a LEFT JOIN b USING (k) WHERE k = 5'),
  -- levels
  ('SELECT * FROM (SELECT * FROM a) q WHERE k = 5'), ('SELECT * FROM (SELECT k, count(*) FROM b GROUP BY k) q WHERE k = 5'), ('SELECT * FROM (SELECT * FROM a LIMIT 1) q WHERE k = 5'),
  ('SELECT * FROM (SELECT * FROM a WHERE k = 5 LIMIT 1) q'), ('SELECT * FROM (SELECT k, rank() OVER () FROM a) q WHERE k = 5'), ('SELECT * FROM (SELECT k + 1 AS k FROM a) q WHERE k = 5'),
  ('SELECT * FROM (SELECT k FROM a UNION ALL SELECT k FROM b) q WHERE k = 5'), ('WITH q AS (SELECT * FROM a) SELECT * FROM q WHERE k = 5'),
  ('WITH q AS (SELECT * FROM a) SELECT * FROM q y JOIN q z ON y.x = z.x WHERE y.k = 5'), ('WITH q AS (SELECT * FROM a WHERE k = 5) SELECT * FROM q JOIN b USING (k) JOIN q z USING (k)'),
  ('SELECT * FROM both_views WHERE k = 5'), ('SELECT * FROM a WHERE k = 5 AND EXISTS (SELECT FROM b WHERE b.k = a.k)'), ('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.k = 5)'),
  ('SELECT * FROM a WHERE k = 5 AND x IN (SELECT b.x FROM b WHERE b.k = a.k)'), ('SELECT * FROM a WHERE k IN (SELECT b.k FROM b) AND k = 5'), ('SELECT * FROM a WHERE k NOT IN (SELECT b.k FROM b) AND k = 5'),
  ('SELECT *, (SELECT 1 WHERE a.k = 5) FROM a'), ('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE a.k = 5) OR a.x = 1'), ('SELECT *, (SELECT 1 FROM b WHERE b.k = a.k AND a.k IN (5, 6)) FROM a'),
  ('SELECT *, (SELECT max(id) FROM b WHERE b.k = a.k) FROM a WHERE k = 5'), ('SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.k = a.k LIMIT 1) q WHERE a.k = 5'),
  -- writes
  ('UPDATE a SET x = 1 WHERE k = $1'), ('UPDATE a SET x = b.x FROM b WHERE a.k = b.k AND b.k = 5'), ('DELETE FROM a USING b WHERE a.k = b.k AND b.id = 1'),
  ('UPDATE a SET x = 1 WHERE k = 5 RETURNING *'), ('WITH gone AS (DELETE FROM a WHERE k = 5 RETURNING *) SELECT * FROM gone'),
  ('INSERT INTO b SELECT k, 1 FROM a WHERE k = 5')) q(statement);
\t on
-- a list in the statement's own types
SELECT equal('SELECT * FROM a WHERE k = $1 AND x = $2', '{int8,numeric}');

CREATE FUNCTION inserted(query text, types regtype[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', i->>'source', i->>'columns', (SELECT string_agg('(' || (SELECT string_agg(value(v), ', ') FROM jsonb_array_elements(r) v) || ')', ' ') FROM jsonb_array_elements(i->'rows') r),
           (SELECT string_agg(quote_literal(substr(query, (s->>0)::int + 1, (s->>1)::int)), ' ') FROM jsonb_array_elements(i->'row_spans') s), 'links ' || (i->>'key_links'))
    FROM (SELECT abelian.analyze(query, types::oid[])::jsonb->0->'insert') f(i)
$$;
SELECT inserted('INSERT INTO a VALUES (1, 2, ''x''), ($1, $2, $3)');
SELECT inserted('INSERT INTO b (t, k) VALUES (''a)('', $1), ($$ ( $$, $2), (E''\''('', 3) /* ) */, (DEFAULT, $3 + 1) ON CONFLICT DO NOTHING');
SELECT inserted('INSERT INTO n VALUES ($1, $2), (5, ''x'')', '{int4,text}');
SELECT inserted('INSERT INTO n VALUES (now()::text::numeric, NULL)');
SELECT inserted('INSERT INTO a DEFAULT VALUES');
SELECT inserted('INSERT INTO serials (k) VALUES (1)');
SELECT inserted('INSERT INTO a (k) VALUES (1) RETURNING (SELECT max(v) FROM (VALUES (1), (2)) q(v))');
SELECT inserted('WITH q AS (VALUES (1)) INSERT INTO a (k, x) VALUES ((SELECT 1 FROM q), 2)');
SELECT inserted('INSERT INTO a (k, x) SELECT b.k, b.id FROM b JOIN a ON a.k = b.k');
SELECT inserted('INSERT INTO a (k, x) SELECT id, k FROM b');
SELECT inserted('INSERT INTO a (k, x) SELECT 5, plain.k FROM r, plain');
SELECT inserted('INSERT INTO a SELECT k, count(*) FROM b GROUP BY k');

CREATE FUNCTION facts(query text, VARIADIC keys text[]) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT (SELECT string_agg(format('%s: %s', key, s->key), ', ' ORDER BY n) FROM unnest(keys) WITH ORDINALITY k(key, n) WHERE s->key NOT IN ('null', 'false', '[]'))
    FROM jsonb_array_elements(abelian.analyze(query)::jsonb) WITH ORDINALITY f(s, n) ORDER BY n
$$;
-- functions
SELECT facts(q, 'volatile', 'mutable', 'functions') FROM unnest(ARRAY['SELECT now()', 'SELECT random()', 'SELECT pure(1), lower(t) FROM a', 'SELECT reads(1)', 'SELECT nextval(''serials_id_seq'')',
  'INSERT INTO plain VALUES (1)', 'INSERT INTO serials (k) VALUES (1)', 'SELECT current_date', 'SELECT * FROM a WHERE t = session_user', 'INSERT INTO r VALUES (1, ''x'')']) q;
-- locking, assigned columns, upserts
SELECT facts(q, 'relations') FROM unnest(ARRAY['SELECT * FROM a JOIN r ON r.id = a.x FOR NO KEY UPDATE OF a', 'SELECT * FROM a, r FOR SHARE', 'SELECT * FROM both_views FOR KEY SHARE']) q;
SELECT facts(q, 'kind', 'assigned', 'returns_rows') FROM unnest(ARRAY['UPDATE a SET (x, t) = (1, ''x''), k = 2', 'INSERT INTO a VALUES (1) ON CONFLICT (k) DO UPDATE SET x = excluded.x + 1 RETURNING k',
  'MERGE INTO a USING r ON a.k = r.id WHEN MATCHED THEN UPDATE SET x = 1', 'DELETE FROM a RETURNING 1']) q;
-- writes over several nodes
SELECT facts(q, 'merge') FROM unnest(ARRAY['UPDATE a SET x = 1', 'UPDATE a SET x = b.x FROM b WHERE b.k = a.k', 'UPDATE a SET x = b.x FROM b WHERE b.id = a.k', 'UPDATE r SET t = a.t FROM a WHERE a.x = r.id', 'UPDATE r SET t = ''t'' FROM a WHERE a.x = r.id',
  'INSERT INTO plain SELECT k FROM a', 'INSERT INTO a SELECT id FROM r', 'DELETE FROM a WHERE k > (SELECT max(k) FROM a)', 'DELETE FROM a WHERE x IN (SELECT id FROM r)']) q;
-- rows that are locked first: each step gives the next ones its rows as parameters
WITH RECURSIVE steps AS (
    SELECT q, 0 AS n, abelian.analyze(q)::jsonb->0 AS s FROM unnest(ARRAY['DELETE FROM a WHERE k IN (SELECT k FROM a ORDER BY x LIMIT 2 FOR UPDATE SKIP LOCKED)',
      'WITH n AS (SELECT b.id, k FROM b LIMIT 1 FOR SHARE NOWAIT) UPDATE a SET x = n.id FROM n WHERE n.k = a.k', 'UPDATE a SET x = 1 WHERE EXISTS (SELECT FROM b WHERE b.id = a.k FOR UPDATE)',
      'SELECT a.x FROM a JOIN b ON b.id = a.x FOR UPDATE OF a', 'SELECT a.x FROM a JOIN b ON b.id = a.x LIMIT 1 FOR UPDATE OF a']) q
    UNION ALL SELECT q, n + 1, s->'locked'->'facts' FROM steps WHERE s->'locked' IS NOT NULL)
  SELECT n, coalesce(s->'locked'->'query'->>'text', s->'merge'->>'reason', q), s->'locked'->>'text', s->'locked'->>'count', s->'parameters', s->'equalities' FROM steps ORDER BY q, n;
-- which of the first rows of all nodes are the first ones of all
SELECT s->'merge'->>'worker', s->'merge'->>'combine', s->'merge'->>'taken' FROM unnest(ARRAY['SELECT k, t FROM a ORDER BY x LIMIT 3 OFFSET 1 FOR UPDATE', 'SELECT k FROM a ORDER BY x FOR UPDATE',
  'SELECT k FROM a ORDER BY x LIMIT 3']) q, jsonb_array_elements(abelian.analyze(q)::jsonb) s;
-- placement functions, however called
SELECT facts(q, 'kind', 'rewritten', 'returns_rows') FROM unnest(ARRAY['SELECT create_distributed_table(''plain'', ''id'')', 'CALL create_distributed_table(''plain'', ''id'', colocate_with => ''a'')',
  'CALL abelian.add_node(''x'', 1) ; ', 'call Pg_Catalog.create_reference_table(''plain'')', 'SELECT create_reference_table(t) FROM unnest(''{plain}''::regclass[]) t', 'CALL work(1)']) q;
-- utility commands
SELECT facts(q, 'utility', 'name', 'set', 'isolation', 'read_only', 'deferrable', 'chain', 'inner_kind', 'inner_parameters', 'parameters', 'returns_rows') || '  <- ' || q FROM unnest(ARRAY[
  'START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY, DEFERRABLE', 'COMMIT AND CHAIN', 'ABORT', 'SAVEPOINT one', 'RELEASE one', 'ROLLBACK TO SAVEPOINT one', 'PREPARE TRANSACTION ''g''',
  'COMMIT PREPARED ''g''', 'ROLLBACK PREPARED ''g''', 'SET LOCAL search_path = one, "Two"', 'SET work_mem TO DEFAULT', 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  'SET TIME ZONE ''UTC''', 'RESET work_mem', 'RESET ALL', 'SHOW ALL', 'SHOW search_path', 'DISCARD ALL', 'PREPARE p (int) AS SELECT * FROM a WHERE k = $1', 'EXECUTE p (1)', 'DEALLOCATE p', 'DEALLOCATE ALL',
  'DECLARE c CURSOR WITH HOLD FOR SELECT * FROM a', 'FETCH 5 FROM c', 'CLOSE c', 'CLOSE ALL', 'LISTEN ch', 'UNLISTEN *', 'NOTIFY ch, ''x''', 'COPY a FROM stdin', 'COPY a TO stdout', 'COPY (SELECT * FROM a WHERE k = 5) TO stdout',
  'EXPLAIN (ANALYZE) UPDATE a SET x = 1 WHERE k = 5', 'LOCK TABLE a IN SHARE MODE', 'TRUNCATE a, r', 'VACUUM a', 'ANALYZE', 'CALL work(1)', 'DO $$BEGIN END$$', 'CREATE TABLE z (a int)', 'CREATE TABLE z AS SELECT * FROM a',
  'SELECT * INTO z FROM a', 'CREATE INDEX CONCURRENTLY ON a (x)', 'DROP TABLE a', 'GRANT SELECT ON a TO app', 'SET CONSTRAINTS ALL DEFERRED', 'CHECKPOINT']) q;
SELECT facts(q, 'relations', 'equalities') FROM unnest(ARRAY['EXPLAIN SELECT * FROM a WHERE k = 5', 'COPY a FROM stdin', 'TRUNCATE r, plain', 'SELECT * FROM pg_class, information_schema.tables', 'SELECT * FROM abelian.node']) q;
-- what the lines of a COPY hold
CREATE TABLE copied (k int, v varchar(5), "Odd" numeric(5, 2) DEFAULT random(), twice int GENERATED ALWAYS AS (k * 2) STORED, gone int);
ALTER TABLE copied DROP COLUMN gone;
SELECT facts(q, 'copy', 'mutable', 'functions') FROM unnest(ARRAY['COPY copied FROM STDIN', 'COPY copied ("Odd", k) FROM STDIN WITH (FORMAT csv, HEADER, QUOTE '''', FORCE_NULL (k))', 'COPY copied (k, v) FROM STDIN DELIMITER ''|'' CSV HEADER',
  'COPY copied (k, nothing) FROM STDIN', 'COPY copied FROM ''/file'' WHERE k > 1', 'COPY copied FROM PROGRAM ''true''', 'COPY missing FROM STDIN']) q;
-- definitions: temporary or not, and what needs a transaction of its own
CREATE TEMP TABLE mine (a int);
SELECT coalesce((SELECT string_agg(concat_ws('.', nullif(regexp_replace(r->>'schema', '_\d+$', ''), ''), r->>'name') || CASE WHEN (r->>'temporary')::boolean THEN ' temporary' ELSE '' END, ', ') FROM jsonb_array_elements(f->'relations') r), '-')
    || CASE WHEN coalesce((f->>'outside_transaction')::boolean, false) THEN ' (outside of transactions)' ELSE '' END || '  <- ' || q
  FROM unnest(ARRAY['CREATE TABLE z (a int)', 'CREATE TEMP TABLE z (a int)', 'CREATE TABLE pg_temp.z (a int)', 'DROP TABLE mine, a, missing', 'ALTER TABLE mine ADD b int', 'ALTER TABLE a RENAME x TO y',
    'CREATE INDEX ON mine (a)', 'CREATE INDEX CONCURRENTLY ON a (x)', 'CREATE TEMP TABLE z AS SELECT * FROM a', 'SELECT * INTO TEMP z FROM a', 'CREATE TEMP VIEW z AS SELECT 1', 'CREATE TEMP SEQUENCE z',
    'REINDEX TABLE CONCURRENTLY a', 'REINDEX SCHEMA public', 'VACUUM', 'ANALYZE a', 'CREATE DATABASE z', 'ALTER SYSTEM SET work_mem = 1', 'DROP INDEX CONCURRENTLY a_pkey']) q,
  LATERAL (SELECT coalesce(nullif(abelian.analyze(q)::jsonb->0, 'null'), '{}')) x(f);
CREATE EXTENSION "uuid-ossp";
SELECT facts('SELECT uuid_generate_v4()', 'volatile', 'functions');
-- what nodes evaluate of what is gathered: conditions that follow from an OR or from columns that are equal, no columns for EXISTS, subqueries that aggregate, aggregates of an
-- outer row, but not those that give something where there is no row, or might meet an error that nobody asks for
SELECT facts(q, 'merge') FROM unnest(ARRAY['SELECT a.t FROM a JOIN b ON a.x = b.x WHERE (a.k = 1 AND b.id = 2) OR (a.k = 3 AND b.id = 4)', 'SELECT a.t FROM a JOIN b ON a.x = b.x WHERE b.x = 5', 'SELECT a.t FROM a LEFT JOIN b ON a.x = b.x AND a.x = 5', 'SELECT a.k FROM a WHERE EXISTS (SELECT * FROM b WHERE b.x = a.x)',
  'SELECT a.k FROM a, (SELECT x, count(*) FROM b GROUP BY x) g(x, n) WHERE g.x = a.x', 'SELECT a.k FROM a WHERE a.x < (SELECT 0.2 * avg(b.x) FROM b WHERE b.id = a.x AND b.t = ''u'')',
  'SELECT a.k FROM a WHERE a.x < (SELECT count(*) FROM b WHERE b.id = a.x)', 'SELECT a.k FROM a WHERE a.x < (SELECT sum(1 / b.x) FROM b WHERE b.id = a.x)']) q;
SET abelian.plan_exchanges = off;
SELECT facts('SELECT a.k FROM a WHERE a.x < (SELECT avg(b.x) FROM b WHERE b.id = a.x)', 'merge');
RESET abelian.plan_exchanges;
-- several statements
SELECT facts('BEGIN; UPDATE a SET x = 1 WHERE k = 5; SELECT 1; COMMIT; SELECT * FROM missing', 'kind', 'utility', 'span', 'deferred');
SELECT facts('SELECT 1; CREATE TABLE fresh (a int); INSERT INTO fresh VALUES (1);', 'kind', 'tag', 'span', 'deferred');
SELECT facts(' ; ', 'kind', 'span');
SELECT facts('-- nothing', 'kind', 'span');
-- errors are PostgreSQL's own, and leave nothing behind
SELECT abelian.analyze('SELEC 1');
SELECT abelian.analyze('SELECT * FROM missing');
SELECT abelian.analyze('SELECT nope FROM a');
SELECT abelian.analyze('SELECT $2');
SELECT abelian.analyze('SELECT 1/0');
SELECT abelian.analyze('SELECT * FROM a WHERE k = 1/0');
BEGIN;
SELECT count(*) FROM json_array_elements(abelian.analyze('SELECT 1; SELECT * FROM missing; SELECT * FROM b'));
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('b'::regclass, 'a'::regclass);
COMMIT;
