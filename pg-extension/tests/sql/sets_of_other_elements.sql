-- abelian.set_uuid and set_int8: the same in the row, in slices, on the ordinary path and as a function of a value; in the order of the elements.
\pset null NULL
SET client_min_messages = warning;
CREATE TABLE post (id int PRIMARY KEY, way text, n abelian.set_int8, u abelian.set_uuid, note text);
INSERT INTO post VALUES (1, 'row', '{10,9}', NULL), (2, 'slices', '{10,9}', NULL), (3, 'ordinary', '{10,9}', NULL), (4, 'function', '{10,9}', NULL);
CREATE PROCEDURE everywhere(operation text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('UPDATE post SET %s WHERE way = ''row''', operation);
  PERFORM set_config('abelian.split', 'always', true);
  EXECUTE format('UPDATE post SET %s WHERE way = ''slices''', operation);
  PERFORM set_config('abelian.split', 'auto', true);
  EXECUTE format('UPDATE post SET %s, note = ''o'' WHERE way = ''ordinary''', operation);
  EXECUTE format('UPDATE post SET %s WHERE way = ''function''', regexp_replace(operation, '(\w+) = (.*)', '\1 = CASE WHEN true THEN \2 END'));
END $$;
-- beside arrays
DO $$
DECLARE
  plain bigint[] := '{9,10}';
  x bigint;
BEGIN
  PERFORM setseed(0.25);
  FOR step IN 1..150 LOOP
    x := floor(random() * 12) - 3;
    CASE floor(random() * 3)::int
      WHEN 0 THEN
        CALL everywhere(format('n = abelian.remove(n, %s)', x));
        plain := array_remove(plain, x);
      WHEN 1 THEN
        CALL everywhere(format('n = abelian.add(n, %s)', x));
        plain := plain || x;
      ELSE
        CALL everywhere(format('n = abelian.add_all(n, ARRAY[%s, NULL, %s, %1$s]::bigint[])', x, x + 1));
        plain := plain || ARRAY[x, x + 1];
    END CASE;
    plain := ARRAY(SELECT DISTINCT e FROM unnest(plain) e ORDER BY e);
    IF EXISTS (SELECT FROM post WHERE n::bigint[] IS DISTINCT FROM plain) THEN RAISE EXCEPTION 'step %: not %', step, plain; END IF;
  END LOOP;
END $$;
CALL everywhere($$u = abelian.add(u, 'A0000000-0000-0000-0000-00000000000F')$$);
CALL everywhere($$u = abelian.add_all(u, '{00000000-0000-0000-0000-000000000002,a0000000-0000-0000-0000-00000000000f,00000000-0000-0000-0000-000000000003}')$$);
CALL everywhere($$u = abelian.remove(u, '{00000000-0000-0000-0000-000000000003}')$$);
CALL everywhere($$n = abelian.add(abelian.remove(n, NULL), NULL)$$);
SELECT way, n, u FROM post ORDER BY id;
SELECT abelian.size(n) AS size, abelian.contains(n, 10) AS ten, abelian.contains(u, '00000000-0000-0000-0000-000000000002') AS two, n::bigint[] @> '{9}' AS nine, abelian.set_int8_of(x) FROM post, generate_series(1, 11) x WHERE id = 1 GROUP BY n::bigint[], n, u;
EXPLAIN (COSTS off) UPDATE post SET n = abelian.remove(abelian.add(n, id), 7), u = abelian.add_all(u, ARRAY[gen_random_uuid()]) WHERE id = 1;
UPDATE post SET u = abelian.add(u, '00000000-0000-0000-0000-000000000009') WHERE id = 1 AND NOT abelian.contains(u, '00000000-0000-0000-0000-000000000009') RETURNING abelian.contains(u, '00000000-0000-0000-0000-000000000009') AS there;
UPDATE post SET u = abelian.add(u, '00000000-0000-0000-0000-000000000009') WHERE id = 1 AND NOT abelian.contains(u, '00000000-0000-0000-0000-000000000009') RETURNING u;
CREATE TABLE copied (LIKE post);
\copy post to program 'cat > /tmp/abelian_sets.copy' (format binary)
\copy copied from program 'cat /tmp/abelian_sets.copy; rm /tmp/abelian_sets.copy' (format binary)
SELECT count(*) FROM post a JOIN copied b USING (id) WHERE a.n::text = b.n::text AND a.u::text = b.u::text;
-- bad input
\set VERBOSITY terse
INSERT INTO post (id, n) VALUES (30, '{x}');
UPDATE post SET u = abelian.add(u, 'x');
UPDATE post SET n = abelian.add(n, 99999999999999999999);
