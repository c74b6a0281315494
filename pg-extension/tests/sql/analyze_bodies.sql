-- as: abelian
-- What the body of an ordinary procedure touches, by the arguments of a call, and of a DO. The node is of no cluster; in the end it is, and says the same.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
CREATE TABLE shop (shop_id bigint PRIMARY KEY, n int);
CREATE TABLE sale (shop_id bigint, id int, price numeric, PRIMARY KEY (shop_id, id));
CREATE PROCEDURE pay(a bigint, b bigint, price numeric) LANGUAGE sql BEGIN ATOMIC
  UPDATE shop SET n = n - 1 WHERE shop_id = a;
  INSERT INTO sale VALUES (b, 1, price);
END;
CREATE FUNCTION order_of(who int, s bigint) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  found numeric;
  t bigint := s;
BEGIN
  SELECT price INTO found FROM sale v JOIN shop USING (shop_id) WHERE shop_id = s AND id = who FOR UPDATE OF v;
  IF found > 1 THEN
    DELETE FROM sale WHERE shop_id = t;
  END IF;
  RETURN found;
END $$;
CREATE PROCEDURE changed(a bigint) LANGUAGE plpgsql AS 'BEGIN a := a + 1; UPDATE shop SET n = 0 WHERE shop_id = a; END';
CREATE PROCEDURE hidden(a bigint) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DELETE FROM shop'; END $$;
CREATE PROCEDURE nothing() LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION body(query text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT jsonb_pretty(abelian.analyze(query, '{}')::jsonb->0->'body')
$$;
SELECT body('CALL pay(1, $1, 2.5)');
SELECT body('SELECT order_of($1, $2)');
SELECT body('SELECT * FROM order_of(5, 6)');
SELECT body('CALL changed(1)');
SELECT body('CALL hidden(1)');
SELECT body('CALL nothing()');
-- EXCLUDED is no table that is read.
CREATE PROCEDURE put(a bigint, b int) LANGUAGE plpgsql AS 'BEGIN INSERT INTO shop VALUES (a, b) ON CONFLICT (shop_id) DO UPDATE SET n = EXCLUDED.n; END';
SELECT jsonb_pretty(abelian.analyze('CALL put(1, 2)', '{}')::jsonb->0->'body'->'touches');
SELECT body('SELECT lower(''A'')') IS NULL;
-- A body that is nothing but changes: each by itself, with the arguments in it.
CREATE PROCEDURE pair(a bigint, b int DEFAULT 7) LANGUAGE plpgsql AS 'BEGIN UPDATE shop SET n = b WHERE shop_id > a; DELETE FROM shop WHERE n = pair.b; END';
CREATE FUNCTION pair_of(bigint) RETURNS void LANGUAGE sql AS 'DELETE FROM shop WHERE n = $1; UPDATE shop SET n = 1';
CREATE FUNCTION safe(a bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN DELETE FROM shop; END';
CREATE FUNCTION changes(query text) RETURNS SETOF text LANGUAGE sql AS $$
  WITH RECURSIVE s AS (SELECT abelian.analyze(query, '{}')::jsonb->0 AS one UNION ALL SELECT one->'changed'->'facts' FROM s WHERE one->'changed' IS NOT NULL)
  SELECT regexp_replace(btrim(coalesce(one->'changed'->'query'->>'text', step->>'text')), '\s+', ' ', 'g') FROM s LEFT JOIN jsonb_array_elements(one->'steps') step ON true
$$;
SELECT changes(q) FROM unnest(ARRAY['CALL pair(1)', 'CALL pair($1, -$2::int)', 'CALL pair(b => ''3'', a => $1)', 'CALL pair(length(''x''))', 'CALL pair((random() * 2)::bigint)', 'SELECT pair_of(5)', 'SELECT pair_of($1) AS x', 'SELECT safe(1)', 'SELECT pair_of(1) LIMIT 1', 'CALL nothing()']) q;
-- Looking into a body leaves nothing in what the session keeps of it: whoever calls it next would trip over that.
CREATE FUNCTION stock_of(s bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  one shop;
BEGIN
  SELECT * INTO one FROM shop WHERE shop_id = s;
  IF one.n > 0 THEN RETURN one.n; END IF;
  RETURN coalesce(one.n, -1);
END $$;
SELECT body('SELECT stock_of(1)') IS NOT NULL;
SELECT stock_of(1);
SELECT (SELECT body('SELECT stock_of(2)')) IS NOT NULL, sum(length(md5(i::text))) > 0 FROM generate_series(1, 10000) i;
SELECT stock_of(2);
SELECT body('SELECT stock_of(3)') IS NOT NULL;
SELECT abelian.add_node('127.0.0.1', 1);
SELECT body('CALL nothing()');
SELECT body('DO ''BEGIN PERFORM 1; END''');
