-- abelian.lww_map: the greatest order wins, whatever comes last; the same in the row, in slices, on the ordinary path and as a function of a value.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE device (id int PRIMARY KEY, way text, m abelian.lww_map, note text);
INSERT INTO device VALUES (1, 'row'), (2, 'slices'), (3, 'ordinary'), (4, 'function');
CREATE PROCEDURE everywhere(operation text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE device SET m = %s WHERE way = ''row''', operation);
  PERFORM set_config('abelian.split', 'always', true);
  EXECUTE format('UPDATE device SET m = %s WHERE way = ''slices''', operation);
  PERFORM set_config('abelian.split', 'auto', true);
  EXECUTE format('UPDATE device SET m = %s, note = ''o'' WHERE way = ''ordinary''', operation);
  -- What is in parentheses is seen as an expression, not as an operation.
  EXECUTE format('UPDATE device SET m = CASE WHEN true THEN %s END WHERE way = ''function''', operation);
END $$;
-- beside a table of all operations: the last of them by order, a put before a removal, by its bytes
CREATE TABLE journal (key text, o numeric, value jsonb);
CREATE VIEW last AS
  SELECT coalesce(jsonb_object_agg(key, value) FILTER (WHERE value IS NOT NULL), '{}') AS state
    FROM (SELECT DISTINCT ON (key) * FROM journal ORDER BY key, o DESC, value IS NULL, value::text COLLATE "C" DESC) l;
DO $$
DECLARE
  operation record;
BEGIN
  PERFORM setseed(0.25);
  FOR step IN 1..300 LOOP
    INSERT INTO journal SELECT chr(97 + floor(random() * 3)::int), floor(random() * 40) / 8, CASE WHEN random() < 0.7 THEN to_jsonb(floor(random() * 5)) END RETURNING * INTO operation;
    CALL everywhere(CASE WHEN operation.value IS NULL THEN format('abelian.remove(m, %L, %s)', operation.key, operation.o)
                         ELSE format('abelian.put(m, %L, %s, %L)', operation.key, operation.o, operation.value) END);
    IF step % 10 = 0 THEN
      DELETE FROM journal j WHERE EXISTS (SELECT FROM journal k WHERE k.key = j.key AND k.o > j.o + 1); -- what is superseded says nothing any more
    END IF;
    IF EXISTS (SELECT FROM device WHERE m::jsonb IS DISTINCT FROM (SELECT state FROM last)) THEN
      RAISE EXCEPTION 'step %: not %', step, (SELECT state FROM last);
    END IF;
  END LOOP;
END $$;
SELECT count(DISTINCT m::text) AS states, count(DISTINCT abelian.order_of(m, 'a')) AS orders FROM device;
-- NULL for the column is empty; NULL for an operand changes nothing
UPDATE device SET m = NULL;
CALL everywhere('abelian.put(m, ''k'', NULL::numeric, ''1'')');
CALL everywhere('abelian.put(m, ''k'', 1, NULL)');
CALL everywhere('abelian.remove(m, NULL, 1)');
SELECT way, m::jsonb FROM device ORDER BY id;
CALL everywhere($$abelian.put(abelian.put(m, 'ä "\', 1.5, '{"x": [1, null]}'), '', numeric 'infinity', 'null')$$);
CALL everywhere($$abelian.put(m, 'when', timestamptz '2024-05-05 12:00Z', '"noon"')$$);
CALL everywhere($$abelian.remove(m, 'when', timestamptz '2024-05-05 11:00Z')$$);
SELECT way, m::jsonb, abelian.keys(m) FROM device ORDER BY id;
SELECT m -> 'when' AS at, abelian.get(m, 'when') AS got, abelian.order_of(m, 'when'), abelian.order_of(m, 'none') AS none, abelian.contains(m, '') AS nothing, abelian.size(m) FROM device WHERE id = 1;
-- A removal of a key that was never there is kept as well, and comes before an older put.
CALL everywhere($$abelian.remove(m, 'gone', 7)$$);
CALL everywhere($$abelian.put(m, 'gone', 6.99, '1')$$);
SELECT way, abelian.contains(m, 'gone') AS there, abelian.order_of(m, 'gone') FROM device ORDER BY id;
CALL everywhere($$abelian.put(m, 'gone', 7, '2')$$);
SELECT way, abelian.get(m, 'gone') AS there FROM device ORDER BY id;
-- what is recognised as an operation
EXPLAIN (COSTS off) UPDATE device SET m = abelian.remove(abelian.put(m, note, now(), '1'), 'y', id) WHERE id = 1;
EXPLAIN (COSTS off) UPDATE device SET m = abelian.put(m, 'x', abelian.order_of(m, 'x') + 1, '1') WHERE id = 1;
-- copies, RETURNING, the aggregate
UPDATE device SET m = abelian.put(m, 'z', 1, '3') WHERE id = 1 RETURNING abelian.get(m, 'z') AS z;
INSERT INTO device SELECT 20, 'copy', m FROM device WHERE id = 1;
UPDATE device SET m = abelian.remove(m, 'z', 2) WHERE id = 20;
SELECT id, abelian.contains(m, 'z') AS there FROM device WHERE id IN (1, 20) ORDER BY id;
SELECT abelian.lww_map_of(k, o, v) FROM (VALUES ('a', 2, '1'::jsonb), ('a', 1, '2'), ('b', 1, NULL), ('c', 1, '[]')) t(k, o, v);
CREATE TABLE copied (LIKE device);
\copy device to program 'cat > /tmp/abelian_lww_map.copy'
\copy copied from program 'cat /tmp/abelian_lww_map.copy; rm /tmp/abelian_lww_map.copy'
SELECT count(*) FROM device a JOIN copied b USING (id) WHERE a.m::jsonb = b.m::jsonb AND abelian.order_of(a.m, 'gone') = abelian.order_of(b.m, 'gone');
-- bad input
\set VERBOSITY terse
UPDATE device SET m = '{}'::jsonb;
INSERT INTO device VALUES (30, 'bad', 'x');
UPDATE device SET m = abelian.put(m, 'k', 1, 'no json');
UPDATE device SET m = abelian.put(m, 'k', '1');
