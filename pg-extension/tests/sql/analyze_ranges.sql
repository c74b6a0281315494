-- as: abelian
-- Bounds of distribution columns: which comparisons count, where they hold, and which say nothing.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE a (k int PRIMARY KEY, x int, t text);
CREATE TABLE b (k bigint, id int, t text COLLATE "C", PRIMARY KEY (k, id));
CREATE TABLE n (k numeric(9,0) PRIMARY KEY, v varchar(5));
CREATE TABLE s (k text COLLATE "C" PRIMARY KEY, v int);
CREATE TABLE e (k text COLLATE "und-x-icu" PRIMARY KEY, v int);
CREATE TABLE c (k char(4) COLLATE "C" PRIMARY KEY, v int);
CREATE TABLE d (k date PRIMARY KEY, at timestamp);
CREATE TABLE u (k uuid PRIMARY KEY, v int);
CREATE TABLE m (k smallint, d date, v int, PRIMARY KEY (k, d));
CREATE TABLE r (id int PRIMARY KEY);
SELECT create_distributed_table(t, 'k') FROM unnest('{a,b,n,s,e,c,d,u}'::regclass[]) t;
SELECT create_distributed_table('m', 'k, d');
SELECT create_reference_table('r');

-- relation.column with its bounds, for each distribution column that has some
CREATE FUNCTION value(v jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce('$' || (v->>'param'), quote_literal(v->>'const'), CASE WHEN v ? 'null' THEN 'NULL' END, '?')
$$;
CREATE FUNCTION ranges(query text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg((statement->'relations'->(r->'column'->>0)::int->>'name') || (r->'column'->>0) || '.' || (r->'column'->>1) || ' ' ||
           (SELECT string_agg((b->>'operator') || ' ' || value(b->'value'), ' ' ORDER BY i) FROM jsonb_array_elements(r->'bounds') WITH ORDINALITY o(b, i)),
         '; '), '-')
    FROM (SELECT abelian.analyze(query, '{}')::jsonb->0) f(statement) LEFT JOIN jsonb_array_elements(statement->'ranges') r ON true
   WHERE r IS NOT NULL
$$;
\t off
SELECT ranges(statement), statement FROM (VALUES
  ('SELECT * FROM a WHERE k < 5'), ('SELECT * FROM a WHERE 5 <= k'), ('SELECT * FROM a WHERE k BETWEEN $1 AND $2'), ('SELECT * FROM a WHERE k >= 1 AND k > $1 AND x < 3'),
  ('SELECT * FROM a WHERE k > 5.5'), ('SELECT * FROM a WHERE k > $1::bigint'), ('SELECT * FROM a WHERE k < 2 + 3'), ('SELECT * FROM a WHERE k < NULL'),
  ('UPDATE a SET x = 1 WHERE k > 5'), ('DELETE FROM a WHERE k > 5 AND k < $1'),
  ('SELECT * FROM b WHERE k < 5 AND id < 3 AND t < ''x'''), ('SELECT * FROM s WHERE k >= ''a'' AND k < $1'), ('SELECT * FROM d WHERE k >= ''2024-01-01'' AND k < $1'),
  ('SELECT * FROM d WHERE k >= date ''2024-01-01'' AND k < ''infinity'''), ('SELECT * FROM u WHERE k > $1'), ('SELECT * FROM m WHERE k > 1 AND d < $1'),
  -- those that are in another order, or not the same tomorrow
  ('SELECT * FROM a WHERE k < 5.5::float8'), ('SELECT * FROM a WHERE k::oid < 5'), ('SELECT * FROM a WHERE -k < 5'), ('SELECT * FROM a WHERE k + 1 < 5'), ('SELECT * FROM a WHERE k::text < $1'),
  ('SELECT * FROM a WHERE k < x'), ('SELECT * FROM a WHERE k < random()'), ('SELECT * FROM a WHERE k <> 5'), ('SELECT * FROM a WHERE NOT k < 5'), ('SELECT * FROM a WHERE k < 5 OR x = 1'),
  ('SELECT * FROM n WHERE k < 5'), ('SELECT * FROM e WHERE k < ''a'''), ('SELECT * FROM e WHERE k COLLATE "C" < ''a'''), ('SELECT * FROM s WHERE k < ''a'' COLLATE "und-x-icu"'),
  ('SELECT * FROM s WHERE k ~<~ ''a'''), ('SELECT * FROM c WHERE k < ''a'''), ('SELECT * FROM c WHERE k < ''a''::text'), ('SELECT * FROM d WHERE k < ''today'''),
  ('SELECT * FROM d WHERE k < ''1/2/2024'''), ('SELECT * FROM d WHERE k < ''2024-01-01''::date + 1'), ('SELECT * FROM d WHERE k < timestamp ''2024-01-01 12:00'''),
  ('SELECT * FROM d WHERE k < now()'), ('SELECT * FROM r WHERE id < 5'),
  -- joins and levels
  ('SELECT * FROM a JOIN b USING (k) WHERE a.k < 5'), ('SELECT * FROM a JOIN n ON a.k = n.k WHERE n.k < 5.5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE a.k < 5'),
  ('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE b.k < 5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.k < 5'), ('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND b.k < 5'),
  ('SELECT * FROM a FULL JOIN b ON a.k = b.k AND a.k < 5'), ('SELECT * FROM a FULL JOIN b USING (k) WHERE k < 5'), ('SELECT * FROM d JOIN d o ON d.k = o.at WHERE o.at < ''2024-01-01'''),
  ('SELECT * FROM (SELECT * FROM a) q WHERE k < 5'), ('SELECT * FROM (SELECT * FROM a LIMIT 3) q WHERE k < 5'), ('SELECT * FROM (SELECT k, sum(x) FROM a GROUP BY k) q WHERE k < 5'),
  ('WITH q AS (SELECT * FROM a) SELECT * FROM q WHERE k < 5'), ('WITH q AS (SELECT * FROM a) SELECT * FROM q WHERE k < 5 UNION SELECT * FROM q'),
  ('SELECT (SELECT 1 WHERE a.k < 5) FROM a'), ('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.k < 5)'), ('SELECT * FROM a WHERE k < 5 AND k IN (SELECT k FROM b)'),
  ('SELECT * FROM a WHERE k < 5 UNION SELECT * FROM a WHERE k > 10'), ('EXPLAIN SELECT * FROM d WHERE k < ''2024-01-01''')
) s(statement);
