-- as: abelian
-- INSERT and MERGE with subqueries: the query that gives what they read, and the statement over it. MERGE in steps. SELECT that draws numbers.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE a (k int PRIMARY KEY, x int, t varchar(3));
CREATE TABLE b (id int PRIMARY KEY, x int);
CREATE TABLE r (id int PRIMARY KEY, x int);
CREATE TABLE u (id int, x int);
CREATE SEQUENCE s;
SELECT create_distributed_table('a', 'k');
SELECT create_distributed_table('b', 'id', colocate_with => 'none');
SELECT create_reference_table('r');

CREATE FUNCTION steps(statement jsonb, depth int) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT repeat('  ', depth) || regexp_replace(line, '\s+', ' ', 'g') FROM (VALUES
    (1, 'read: ' || (statement->'read'->'query'->>'text')), (2, 'run:  ' || (statement->'read'->>'text'))) l(n, line) WHERE line IS NOT NULL
  UNION ALL SELECT repeat('  ', depth) || 'step: ' || regexp_replace(one->>'text', '\s+', ' ', 'g') FROM jsonb_array_elements(statement->'steps') one
  UNION ALL SELECT steps(statement->'read'->'facts', depth + 1) WHERE statement->'read' IS NOT NULL
$$;
CREATE FUNCTION told(query text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT query UNION ALL SELECT * FROM steps(abelian.analyze(query)::jsonb->0, 1)
$$;

SELECT told('INSERT INTO a VALUES (1, 2) ON CONFLICT (k) DO UPDATE SET x = (SELECT max(x) FROM b)');
SELECT told('INSERT INTO a VALUES (1, $1) ON CONFLICT (k) DO UPDATE SET x = (SELECT sum(b.x) FROM b WHERE b.id > a.x AND b.x > $1) WHERE EXISTS (SELECT FROM r WHERE r.id = excluded.x) RETURNING (SELECT count(*) FROM u)');
SELECT told('INSERT INTO a VALUES (1, (SELECT x FROM r LIMIT 1))'); -- each node has it
SELECT told('INSERT INTO r VALUES (1, (SELECT max(x) FROM r))');
SELECT told('WITH w AS (SELECT max(x) AS m FROM b) INSERT INTO a VALUES (1, (SELECT m FROM w))');
SELECT told('MERGE INTO a USING b ON a.x = b.x WHEN MATCHED THEN DELETE');
SELECT told('MERGE INTO a USING b ON a.x = b.x WHEN MATCHED AND b.id = 3 THEN DO NOTHING WHEN MATCHED THEN UPDATE SET x = 1 WHEN NOT MATCHED AND b.x > 1 THEN INSERT VALUES (b.id, 7, ''long'') WHEN NOT MATCHED THEN INSERT (k) VALUES (b.x)');
SELECT told('MERGE INTO a USING b ON a.x = b.x WHEN NOT MATCHED THEN INSERT VALUES (b.id)');
SELECT told('MERGE INTO a USING b ON a.k = b.x WHEN NOT MATCHED THEN INSERT VALUES (b.x)'); -- by key
SELECT told('MERGE INTO a USING b ON a.x = b.x AND random() < 1 WHEN NOT MATCHED THEN INSERT VALUES (b.id)');
SELECT told('MERGE INTO a USING b JOIN u ON u.id = b.id ON a.x = b.x WHEN MATCHED THEN DELETE');
SELECT told('SELECT nextval(''s'') + x, k FROM a WHERE x > 1 ORDER BY t LIMIT 3');
SELECT told('SELECT max(n) FROM (SELECT nextval(''s'') AS n FROM a) w');
SELECT told('SELECT k FROM a WHERE nextval(''s'') > 1');
-- the key stays
SELECT query, abelian.analyze(query)::jsonb->0->'relations'->0->'assigned' FROM unnest(ARRAY['INSERT INTO a VALUES (1) ON CONFLICT (k) DO UPDATE SET k = excluded.k, x = 1',
  'INSERT INTO a VALUES (1) ON CONFLICT (k) DO UPDATE SET k = excluded.x', 'MERGE INTO a USING b ON a.k = b.id WHEN MATCHED THEN UPDATE SET k = b.id',
  'MERGE INTO a USING b ON a.k = b.id WHEN MATCHED THEN UPDATE SET k = b.x']) query;
