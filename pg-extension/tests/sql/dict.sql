-- abelian.dict: operations, accessors, casts, bad input; the same in the row, in slices and on the ordinary path.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE profile (id int PRIMARY KEY, way text, d abelian.dict, note text);
INSERT INTO profile VALUES (1, 'row', '{"a": "1"}'), (2, 'slices', '{"a": "1"}'), (3, 'ordinary', '{"a": "1"}'), (11, 'row', NULL), (12, 'slices', NULL), (13, 'ordinary', NULL);
CREATE PROCEDURE everywhere(operation text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE profile SET %s WHERE way = ''row''', operation);
  PERFORM set_config('abelian.split', 'always', true);
  EXECUTE format('UPDATE profile SET %s WHERE way = ''slices''', operation);
  PERFORM set_config('abelian.split', 'auto', true);
  EXECUTE format('UPDATE profile SET %s, note = ''o'' WHERE way = ''ordinary''', operation);
END $$;
-- beside a jsonb
DO $$
DECLARE
  plain jsonb := '{"a": "1"}';
  key text;
BEGIN
  PERFORM setseed(0.25);
  FOR step IN 1..200 LOOP
    key := chr(97 + floor(random() * 3)::int);
    IF random() < 0.3 THEN
      CALL everywhere(format('d = abelian.remove(d, %L)', key));
      plain := plain - key;
    ELSIF random() < 0.4 THEN
      CALL everywhere(format('d = abelian.put_if_absent(d, %L, %L)', key, step));
      plain := jsonb_build_object(key, step::text) || plain;
    ELSE
      CALL everywhere(format('d = abelian.put(d, %L, %L)', key, step));
      plain := plain || jsonb_build_object(key, step::text);
    END IF;
    IF EXISTS (SELECT FROM profile WHERE id < 10 AND d::jsonb IS DISTINCT FROM plain) THEN RAISE EXCEPTION 'step %: not %', step, plain; END IF;
  END LOOP;
END $$;
SELECT count(DISTINCT d::text) FROM profile;
CALL everywhere($$d = '{}'$$);
CALL everywhere($$d = abelian.put(abelian.put(abelian.remove(d, 'x'), 'x', 'ä "\'), '', 'empty')$$);
CALL everywhere($$d = abelian.put(abelian.put(d, 'k', NULL), NULL, 'v')$$);
SELECT * FROM profile ORDER BY id;
UPDATE profile SET d = NULL;
CALL everywhere($$d = abelian.remove(d, 'x')$$);
SELECT d, count(*) FROM profile GROUP BY d;
CALL everywhere($$d = abelian.put(d, 'x', 'y')$$);
SELECT d, count(*) FROM profile GROUP BY d ORDER BY d;
EXPLAIN (COSTS off) UPDATE profile SET d = abelian.remove(abelian.put(d, 'x', note), 'y') WHERE id = 1;
EXPLAIN (COSTS off) UPDATE profile SET d = abelian.put_if_absent(d, 'x', note) WHERE id = 1;
UPDATE profile SET d = abelian.put_if_absent(abelian.put_if_absent(d, 'x', 'no'), 'first', '1') WHERE id = 1 RETURNING d;
UPDATE profile SET d = abelian.put_if_absent(d, 'first', '2') WHERE id = 1 RETURNING abelian.get(d, 'first') AS first;
UPDATE profile SET d = abelian.remove(d, 'first') WHERE id = 1;
UPDATE profile SET d = abelian.put(d, 'z', 'w') WHERE id = 1 RETURNING d, abelian.get(d, 'z') AS z, abelian.get(d, 'none') AS none, abelian.size(d), abelian.keys(d), abelian.contains(d, 'x') AS x, d -> 'z' AS json, d ? 'z' AS has;
UPDATE profile SET note = abelian.get(d, 'z') WHERE abelian.contains(d, 'z') RETURNING id, note;
-- casts, copies, aggregates, order
INSERT INTO profile SELECT 20, 'copy', d FROM profile WHERE id = 1;
UPDATE profile SET d = abelian.remove(d, 'z') WHERE id = 20;
SELECT id, d, d::jsonb || '{"q": 1}' AS more, d::text, d::json FROM profile WHERE id IN (1, 20) ORDER BY id;
INSERT INTO profile VALUES (21, 'cast', '{"n": 1, "t": true, "null": null, "list": [1, {"a": null}], "text": "x"}'::jsonb);
SELECT d FROM profile WHERE id = 21;
SELECT abelian.dict_of(k, v ORDER BY n) FROM (VALUES (1, 'a', 'first'), (2, 'b', 'only'), (3, 'a', 'last'), (4, 'c', NULL)) t(n, k, v);
SELECT d, count(*) FROM profile GROUP BY d ORDER BY d;
CREATE TABLE copied (LIKE profile);
\copy profile to program 'cat > /tmp/abelian_dict.copy' (format binary)
\copy copied from program 'cat /tmp/abelian_dict.copy; rm /tmp/abelian_dict.copy' (format binary)
SELECT count(*) FROM profile a JOIN copied b USING (id) WHERE a.d = b.d;
-- many keys
UPDATE profile SET d = (SELECT jsonb_object_agg('key ' || i, i) FROM generate_series(1, 5000) i) WHERE id = 1;
SET abelian.split = always;
DO $$ BEGIN FOR i IN 1..50 LOOP UPDATE profile SET d = abelian.put(abelian.remove(d, 'key ' || i), 'new ' || i, repeat('x', 1000)) WHERE id = 1; END LOOP; END $$;
SELECT abelian.size(d), abelian.get(d, 'key 4711') AS there, abelian.get(d, 'key 50') AS gone, length(abelian.get(d, 'new 50')) FROM profile WHERE id = 1;
-- bad input
\set VERBOSITY terse
INSERT INTO profile VALUES (30, 'bad', 'x');
INSERT INTO profile VALUES (30, 'bad', '[1]');
INSERT INTO profile VALUES (30, 'bad', '5');
UPDATE profile SET d = abelian.put(d, 1, 2);
SELECT abelian.add(d, 'x', 'y') FROM profile;
