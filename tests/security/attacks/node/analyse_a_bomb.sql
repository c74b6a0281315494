-- Texts that are made to exhaust the analysis: errors, as PostgreSQL's own of such texts, never a crash.
SELECT length(abelian.analyze('SELECT ' || repeat('(', 3000) || '1' || repeat(')', 3000), '{}')::text) > 0;
--= t
SELECT abelian.analyze('SELECT ' || repeat('(', 100000) || '1' || repeat(')', 100000), '{}');
--! 42601
SELECT length(abelian.analyze('SELECT 1' || repeat(' + 1', 1000), '{}')::text) > 0;
--= t
SELECT abelian.analyze('SELECT 1' || repeat(' + 1', 5000), '{}');
--! 54001
SELECT abelian.analyze('SELECT 1' || repeat(' + 1', 200000), '{}');
--! 54001
SELECT abelian.analyze('SELECT ' || repeat('NOT ', 9000) || 'true', '{}');
--! 54001
SELECT abelian.analyze('SELECT ' || repeat('NOT ', 200000) || 'true', '{}');
--! 42601
SELECT length(abelian.analyze('SELECT 1 WHERE true' || repeat(' AND true', 50000), '{}')::text) > 0;
--= t
SELECT length(abelian.analyze('SELECT 1 WHERE ' || repeat('(true AND (false OR ', 300) || 'true' || repeat('))', 300), '{}')::text) > 0;
--= t
SELECT abelian.analyze('SELECT 1 WHERE ' || repeat('(true AND (false OR ', 2000) || 'true' || repeat('))', 2000), '{}');
--! 42601
SELECT abelian.analyze('SELECT 1 WHERE ' || repeat('(true AND (false OR ', 20000) || 'true' || repeat('))', 20000), '{}');
--! 42601
SELECT abelian.analyze('SELECT * FROM victims.orders WHERE ' || repeat('(id = 1 OR (id = 2 AND ', 2000) || 'true' || repeat('))', 2000), '{}');
--! 42601
SELECT abelian.analyze('SELECT * FROM ' || repeat('(SELECT * FROM ', 2000) || 'victims.page' || repeat(') x', 2000), '{}');
--! 42601
SELECT abelian.analyze('SELECT ' || repeat('(SELECT ', 2000) || '1' || repeat(')', 2000), '{}');
--! 54001
-- Each level mentions the one before twice: whoever looked at each mention would look for ever.
SELECT length(abelian.analyze('WITH c0 AS (SELECT 1 AS a), ' || string_agg(format('c%s AS (SELECT x.a FROM c%s x, c%s y)', n, n - 1, n - 1), ', ') || ' SELECT * FROM c60', '{}')::text) > 0
  FROM generate_series(1, 60) n;
--= t
SELECT length(abelian.analyze('WITH c0 AS (SELECT id FROM victims.page), ' || string_agg(format('c%s AS (SELECT x.id FROM c%s x, c%s y WHERE x.id = (SELECT z.id FROM c%s z WHERE z.id = y.id))', n, n - 1, n - 1, n - 1), ', ') || ' SELECT * FROM c60', '{}')::text) > 0
  FROM generate_series(1, 60) n;
--= t
SELECT abelian.analyze(repeat('SELECT 1 UNION ', 3000) || 'SELECT 1', '{}');
--! 54001
SELECT length(abelian.analyze(repeat('SELECT 1; ', 2000), '{}')::text) > 0;
--= t
SELECT abelian.analyze('SELECT ' || repeat('a.', 10000) || 'b', '{}');
--! 42601
SELECT abelian.analyze('SELECT $2147483647', '{}');
--! 42P02
SELECT abelian.analyze('SELECT $65536', '{}') IS NOT NULL;
--= t
SELECT abelian.analyze('SELECT $1', array_fill(23::oid, ARRAY[70000])) IS NOT NULL;
--= t
SELECT abelian.analyze('SELECT 1', '{{23,25},{23,25}}') IS NOT NULL;
--= t
SELECT abelian.analyze('SELECT $1', '{NULL}');
--! 22004
SELECT abelian.analyze('INSERT INTO victims.orders VALUES ' || repeat('(1, 2), ', 50000) || '(1, 2)', '{}') IS NOT NULL;
--= t
