-- Types over aggregates: every statement gives what it gives over plain columns: rows, row count, SQLSTATE, and content afterwards.
-- The same schema four times: plain columns; Abelian columns with operations chosen by contention, all sent to slices,
-- and all sent down the ordinary path.
SET client_min_messages = warning;
CREATE SCHEMA plain; CREATE SCHEMA auto; CREATE SCHEMA slices; CREATE SCHEMA ordinary;

CREATE FUNCTION public.make(types text[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE definition text := $sql$
  CREATE TABLE t (id int PRIMARY KEY, hi MAX_INT, lo MIN_NUM, any_of BOOL_OR, all_of BOOL_AND, name MAX_TEXT, at MAX_TIME, other MAX_INT DEFAULT 0, note text DEFAULT 'n', n int DEFAULT 0);
  INSERT INTO t VALUES (1, 10, 1.5, false, true, 'bob', '2020-01-01 00:00Z'), (2, -20, 2.50, true, false, '', '-infinity'), (3, NULL, NULL, NULL, NULL, NULL, NULL), (4, 0, 'NaN', false, true, 'Zoë', 'infinity'),
    (5, -5, -0.1, true, true, 'a', '2021-05-05 05:05Z');
  CREATE TABLE checked (id int PRIMARY KEY, hi MAX_INT CHECK (hi < 100), n int);
  INSERT INTO checked VALUES (1, 5, 1), (2, 1, 2);
  CREATE TABLE child (id int PRIMARY KEY, t int REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE);
  INSERT INTO child VALUES (1, 1), (2, 2);
  CREATE TABLE parted (id int, part int, hi MAX_INT, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
  CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
  CREATE TABLE parted_2 (extra text, part int NOT NULL, hi MAX_INT, id int NOT NULL);
  ALTER TABLE parted_2 DROP COLUMN extra;
  ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
  INSERT INTO parted VALUES (1, 1, 1), (2, 2, 2), (3, 1, 3);
  CREATE VIEW v AS SELECT id, hi, note FROM t WHERE id < 4;
  CREATE TABLE log (what text);
  CREATE TABLE triggered (id int PRIMARY KEY, hi MAX_INT);
  INSERT INTO triggered VALUES (1, 1), (2, 2);
  CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN INSERT INTO log VALUES (OLD.hi || ' to ' || NEW.hi); RETURN NULL; END $f$;
  CREATE TRIGGER after_row AFTER UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION note_change();
  CREATE TABLE doubled (id int PRIMARY KEY, hi MAX_INT);
  INSERT INTO doubled VALUES (1, 1), (2, 2);
  CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN IF NEW.id = 2 THEN RETURN NULL; END IF; NEW.hi := NEW.hi * 2; RETURN NEW; END $f$;
  CREATE TRIGGER before_row BEFORE UPDATE ON doubled FOR EACH ROW EXECUTE FUNCTION double();
  CREATE TABLE secured (id int PRIMARY KEY, owner text, hi MAX_INT);
  INSERT INTO secured VALUES (1, 'app', 1), (2, 'else', 2);
  ALTER TABLE secured ENABLE ROW LEVEL SECURITY; ALTER TABLE secured FORCE ROW LEVEL SECURITY;
  CREATE POLICY mine ON secured USING (owner = 'app') WITH CHECK (hi < 50);
  CREATE FUNCTION bid(which int, amount int) RETURNS int LANGUAGE plpgsql AS $f$
    DECLARE n int;
    BEGIN UPDATE t SET hi = greatest(hi, amount) WHERE id = which; GET DIAGNOSTICS n = ROW_COUNT;
      RETURN CASE WHEN FOUND THEN n ELSE -1 END; END $f$;
$sql$;
  names text[] := '{MAX_INT,MIN_NUM,BOOL_OR,BOOL_AND,MAX_TEXT,MAX_TIME}';
BEGIN
  FOR i IN 1..6 LOOP definition := replace(definition, names[i], types[i]); END LOOP;
  EXECUTE definition;
END $body$;

SET search_path = plain; SELECT public.make('{bigint,numeric,boolean,boolean,text,timestamptz}');
SET search_path = auto; SELECT public.make('{abelian.max,abelian.min_numeric,abelian.bool_or,abelian.bool_and,abelian.max_text,abelian.max_timestamptz}');
SET search_path = slices; SELECT public.make('{abelian.max,abelian.min_numeric,abelian.bool_or,abelian.bool_and,abelian.max_text,abelian.max_timestamptz}');
SET search_path = ordinary; SELECT public.make('{abelian.max,abelian.min_numeric,abelian.bool_or,abelian.bool_and,abelian.max_text,abelian.max_timestamptz}');
RESET search_path;

-- What a statement gives: its rows or their number, or its SQLSTATE; then the content of all tables.
CREATE FUNCTION public.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text := ''; r record; n bigint; content text; tab text; rows text[] := '{}';
BEGIN
  BEGIN
    IF statement ~* '^\s*(select|with|values)|returning' THEN
      FOR r IN EXECUTE statement LOOP rows := rows || r::text; END LOOP;
      IF statement !~* 'order by' THEN rows := ARRAY(SELECT x FROM unnest(rows) x ORDER BY x); END IF;
      result := rows::text;
    ELSE
      EXECUTE statement; GET DIAGNOSTICS n = ROW_COUNT; result := n::text;
    END IF;
  EXCEPTION WHEN OTHERS THEN result := SQLSTATE;
  END;
  FOREACH tab IN ARRAY '{t,checked,child,parted,triggered,doubled,secured,log}'::text[] LOOP
    EXECUTE format('SELECT string_agg(x::text, %L ORDER BY x::text) FROM %I x', ' ', tab) INTO content;
    result := result || E'\n' || tab || ': ' || coalesce(content, '');
  END LOOP;
  RETURN result;
END $$;

CREATE FUNCTION public.same(VARIADIC statements text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE expected text; got text; s text;
BEGIN
  FOREACH s IN ARRAY statements LOOP
    PERFORM set_config('search_path', 'plain,public', true);
    expected := outcome(s);
    PERFORM set_config('search_path', 'auto,public', true);
    got := outcome(s);
    IF got <> expected THEN RETURN format(E'%s\n-- gives over plain columns\n%s\n-- but\n%s', s, expected, got); END IF;
    PERFORM set_config('search_path', 'slices,public', true);
    PERFORM set_config('abelian.split', 'always', true);
    got := outcome(s);
    PERFORM set_config('abelian.split', 'auto', true);
    IF got <> expected THEN RETURN format(E'%s\n-- gives over plain columns\n%s\n-- but with slices\n%s', s, expected, got); END IF;
    PERFORM set_config('search_path', 'ordinary,public', true);
    PERFORM set_config('abelian.concurrent_operations', 'off', true);
    got := outcome(s);
    PERFORM set_config('abelian.concurrent_operations', 'on', true);
    IF got <> expected THEN RETURN format(E'%s\n-- gives over plain columns\n%s\n-- but ordinarily\n%s', s, expected, got); END IF;
  END LOOP;
  RETURN 'same';
END $$;

-- operations
SELECT same('UPDATE t SET hi = greatest(hi, 11) WHERE id = 1', 'UPDATE t SET hi = greatest(hi, 3)', 'UPDATE t SET hi = greatest(4, hi) WHERE id IN (1, 4)',
  'UPDATE t SET hi = greatest(hi, n, 2, 1 + id)', 'UPDATE t SET hi = greatest(hi, 12::smallint), lo = least(lo, 2)', 'UPDATE t SET lo = least(lo, -0.25::numeric), hi = greatest(hi, 13::bigint) WHERE lo > 0',
  'UPDATE t SET lo = least(1.125, lo, id), other = greatest(other, 5)', 'UPDATE t AS x SET hi = greatest(x.hi, x.id * 5) WHERE x.note = ''n''', 'UPDATE t SET hi = greatest(hi, 100) WHERE false',
  'UPDATE t SET hi = greatest(greatest(hi, 14), 15) WHERE id = 1', 'UPDATE t SET "hi" = greatest(hi::bigint, 16) WHERE id = 2',
  'UPDATE t SET any_of = any_of OR id = 2, all_of = all_of AND id <> 1 WHERE id < 3', 'UPDATE t SET any_of = n = 0 OR any_of OR false', 'UPDATE t SET all_of = true AND all_of',
  'UPDATE t SET name = greatest(name, ''x'')', 'UPDATE t SET name = greatest(name, note) WHERE id > 2', 'UPDATE t SET name = greatest(note::varchar, name)', 'UPDATE t SET at = greatest(at, timestamptz ''2021-01-01 00:00Z'')');
-- NULL
SELECT same('UPDATE t SET hi = NULL, lo = NULL, any_of = NULL, all_of = NULL, name = NULL, at = NULL WHERE id = 5', 'UPDATE t SET hi = greatest(hi, NULL), lo = least(lo, NULL) WHERE id IN (1, 5)',
  'UPDATE t SET hi = greatest(hi, nullif(id, 5)), any_of = any_of OR false, all_of = all_of AND true', 'UPDATE t SET any_of = any_of OR true, all_of = all_of AND false WHERE id = 5',
  'UPDATE t SET hi = greatest(hi, 1), lo = least(lo, 1), name = greatest(name, ''n'') WHERE id = 5', 'UPDATE t SET hi = NULL', 'UPDATE t SET hi = greatest(hi, 7)', 'SELECT id FROM t WHERE hi IS NULL OR at IS NULL ORDER BY id');
-- least of a maximum, AND of an OR: read-modify-write
SELECT same('UPDATE t SET hi = least(hi, 8) WHERE id = 1', 'UPDATE t SET any_of = any_of AND id = 1', 'UPDATE t SET any_of = NOT any_of', 'UPDATE t SET name = greatest(name, ''X'' COLLATE "C")', 'UPDATE t SET hi = greatest(hi, 3) + 1');
-- operations beside plain columns, read-modify-write, overwrite
SELECT same('UPDATE t SET hi = greatest(hi, 20), note = ''m'' WHERE id = 1', 'UPDATE t SET note = hi WHERE id = 2', 'UPDATE t SET hi = hi * 2 + 1',
  'UPDATE t SET hi = other, other = hi', 'UPDATE t SET hi = n, n = hi WHERE id = 2', 'UPDATE t SET hi = DEFAULT, other = DEFAULT WHERE id = 4',
  'UPDATE t SET hi = hi, lo = lo', 'UPDATE t SET (hi, note) = (greatest(hi, 21), ''z'') WHERE id = 1', 'UPDATE t SET (hi, n) = (SELECT 5, 6) WHERE id = 1',
  'UPDATE t SET hi = greatest(hi, (SELECT count(*) FROM child))', 'UPDATE t SET hi = greatest(hi, (SELECT max(x.hi) FROM t x))', 'UPDATE t SET hi = greatest(hi, other)', 'UPDATE t SET hi = greatest(hi, hi)',
  'UPDATE t SET hi = ''17'' WHERE id = 4', 'UPDATE t SET lo = hi::bigint, hi = 3 WHERE id = 1', 'UPDATE t SET hi = 1.5 WHERE id = 1', 'UPDATE t SET lo = round(lo * 1.1, 2)', 'UPDATE t SET name = name || ''!''',
  'UPDATE t SET hi = 9223372036854775807 WHERE id = 1', 'UPDATE t SET hi = hi + 1 WHERE id = 1', 'UPDATE t SET hi = ''x'' WHERE id = 1', 'UPDATE t SET any_of = ''maybe''', 'UPDATE t SET hi = 4');
-- conditions on the value
SELECT same('UPDATE t SET hi = greatest(hi, 30) WHERE hi > 3', 'UPDATE t SET hi = greatest(hi, 31) WHERE hi IS NULL', 'UPDATE t SET note = ''big'' WHERE hi > 10', 'UPDATE t SET any_of = true WHERE any_of', 'DELETE FROM t WHERE id = 5 AND any_of',
  'UPDATE t SET hi = greatest(hi, 32) WHERE hi BETWEEN 1 AND 40 AND lo > 0', 'UPDATE t SET other = greatest(other, 1) WHERE hi = (SELECT max(hi) FROM t)', 'UPDATE t SET hi = greatest(hi, 33) WHERE name > ''a''');
-- RETURNING
SELECT same('UPDATE t SET hi = greatest(hi, 40) WHERE id = 1 RETURNING hi', 'UPDATE t SET hi = greatest(hi, 41), note = ''q'' WHERE id <= 2 RETURNING id, hi, note, hi + 1',
  'UPDATE t SET hi = greatest(hi, 42) WHERE id = 2 RETURNING id, note', 'UPDATE t SET hi = greatest(hi, 43) WHERE id = 2 RETURNING *', 'UPDATE t SET note = ''w'' RETURNING hi, lo, name, any_of');
-- UPSERT
SELECT same('INSERT INTO t (id, hi) VALUES (1, 50) ON CONFLICT (id) DO UPDATE SET hi = greatest(t.hi, EXCLUDED.hi)', 'INSERT INTO t (id, hi) VALUES (1, 45), (3, 45) ON CONFLICT (id) DO UPDATE SET hi = greatest(t.hi, EXCLUDED.hi) RETURNING *',
  'INSERT INTO t (id, hi) VALUES (9, 3) ON CONFLICT (id) DO UPDATE SET n = t.n + 1 WHERE t.hi > 3', 'INSERT INTO t (id, hi) VALUES (9, 60) ON CONFLICT (id) DO UPDATE SET hi = greatest(t.hi, 55), n = 4',
  'INSERT INTO t (id, hi) VALUES (9, 3) ON CONFLICT (id) DO UPDATE SET hi = t.hi * 2, n = 4 WHERE t.hi > 5', 'INSERT INTO t (id, hi, name) VALUES (11, DEFAULT, ''y'') RETURNING hi, name, other');
-- FROM, the same row met twice, data-modifying CTEs, MERGE
SELECT same('UPDATE t SET hi = greatest(t.hi, x.v) FROM (VALUES (1, 70), (2, 6)) x (id, v) WHERE x.id = t.id', 'UPDATE t SET hi = greatest(t.hi, 71) FROM (VALUES (1), (1)) x (id) WHERE x.id = t.id',
  'UPDATE t SET hi = greatest(t.hi, o.hi) FROM t o WHERE o.id = t.id + 1', 'WITH w AS (UPDATE t SET hi = greatest(hi, 72) WHERE id = 1 RETURNING hi) UPDATE t SET hi = greatest(t.hi, w.hi) FROM w WHERE id = 2',
  'WITH w AS (DELETE FROM t WHERE id = 9 RETURNING id, hi) INSERT INTO t (id, hi) SELECT id + 20, hi FROM w',
  'MERGE INTO t USING (VALUES (1, 80), (50, 6)) x (id, v) ON x.id = t.id WHEN MATCHED THEN UPDATE SET hi = greatest(t.hi, x.v) WHEN NOT MATCHED THEN INSERT (id, hi) VALUES (x.id, x.v)');
-- stored copies are objects of their own
SELECT same('INSERT INTO t (id, hi, lo, name) SELECT id + 60, hi, lo, name FROM t WHERE id < 3', 'UPDATE t SET hi = greatest(hi, 1000) WHERE id = 1', 'UPDATE t SET hi = greatest(hi, 2000), lo = least(lo, -9) WHERE id = 61',
  'INSERT INTO t (id, hi) SELECT 70, hi FROM t WHERE id = 1 UNION SELECT 71, 5', 'UPDATE t SET hi = greatest(hi, 90) WHERE id >= 60', 'UPDATE t SET other = hi WHERE id = 1', 'UPDATE t SET hi = greatest(hi, 3000) WHERE id = 1');
-- DELETE, keys
SELECT same('DELETE FROM t WHERE id = 70 RETURNING *', 'DELETE FROM t WHERE hi > 2500', 'UPDATE t SET id = 100 WHERE id = 2', 'UPDATE t SET id = id + 200, hi = greatest(hi, 4000) WHERE id = 100', 'DELETE FROM t WHERE id = 300', 'DELETE FROM t USING child WHERE child.t = t.id RETURNING t.hi');
SELECT same('INSERT INTO t (id, hi, lo, name) VALUES (1, 10, 1.5, ''k''), (2, 20, 2.50, ''l'') ON CONFLICT (id) DO UPDATE SET hi = EXCLUDED.hi, lo = EXCLUDED.lo', 'INSERT INTO child VALUES (1, 1), (2, 2) ON CONFLICT DO NOTHING');
-- CHECK, partitions, views, triggers, row security
SELECT same('UPDATE checked SET hi = greatest(hi, 99) WHERE id = 1', 'UPDATE checked SET hi = greatest(hi, 100) WHERE id = 2', 'UPDATE checked SET hi = greatest(hi, 3), n = n + 1');
SELECT same('UPDATE parted SET hi = greatest(hi, 4)', 'UPDATE parted SET hi = greatest(hi, 5) WHERE id = 2 RETURNING hi', 'UPDATE parted SET part = 2, hi = greatest(hi, 10) WHERE id = 1', 'UPDATE parted SET hi = greatest(hi, 11)', 'UPDATE parted_2 SET hi = greatest(hi, 12)',
  'INSERT INTO parted VALUES (1, 2, 50) ON CONFLICT (id, part) DO UPDATE SET hi = greatest(parted.hi, EXCLUDED.hi)', 'UPDATE parted SET part = 1 WHERE id = 1', 'DELETE FROM parted WHERE hi > 20 RETURNING hi');
SELECT same('UPDATE v SET hi = greatest(hi, 60)', 'UPDATE v SET hi = greatest(hi, 61) WHERE id = 1 RETURNING hi', 'UPDATE v SET note = ''view'', hi = 3 WHERE id = 2', 'SELECT * FROM v ORDER BY id');
SELECT same('UPDATE triggered SET hi = greatest(hi, 2)', 'UPDATE triggered SET hi = hi * 2 WHERE id = 1', 'UPDATE doubled SET hi = greatest(hi, 5)', 'UPDATE doubled SET hi = 7', 'UPDATE secured SET hi = greatest(hi, 10)', 'UPDATE secured SET hi = greatest(hi, 50)', 'SELECT hi FROM secured');
-- PL/pgSQL
SELECT same('SELECT bid(1, 500)', 'SELECT bid(99, 5)', 'DO $f$ BEGIN FOR i IN 1..10 LOOP UPDATE t SET hi = greatest(hi, 500 + i) WHERE id = 4; END LOOP; END $f$',
  'DO $f$ BEGIN UPDATE t SET hi = greatest(hi, 600); BEGIN UPDATE t SET hi = greatest(hi, 100000); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; UPDATE t SET lo = least(lo, -1000); END $f$',
  'DO $f$ DECLARE r t%ROWTYPE; BEGIN SELECT * INTO r FROM t WHERE id = 1; UPDATE t SET hi = r.hi + 1 WHERE id = r.id; INSERT INTO t (id, hi) VALUES (90, r.hi); END $f$', 'UPDATE t SET hi = greatest(hi, 700) WHERE id = 90');
-- reading
SELECT same('SELECT hi FROM t ORDER BY hi', 'SELECT hi, count(*) FROM t GROUP BY hi ORDER BY hi DESC NULLS LAST', 'SELECT DISTINCT name FROM t ORDER BY 1', 'SELECT hi FROM t UNION SELECT other FROM t ORDER BY 1', 'SELECT at FROM t INTERSECT SELECT at FROM t ORDER BY at', 'SELECT name FROM t UNION SELECT note FROM t ORDER BY 1', 'SELECT name FROM t EXCEPT ALL SELECT name FROM t WHERE id > 2 ORDER BY name',
  'SELECT a.id, b.id FROM t a JOIN t b USING (hi) ORDER BY 1, 2', 'SELECT hi FROM t WHERE hi IN (SELECT hi FROM t) ORDER BY hi', 'SELECT sum(hi), avg(lo), min(name), max(at), bool_or(any_of), count(DISTINCT hi) FROM t', 'SELECT rank() OVER (ORDER BY hi, id), id FROM t',
  'SELECT hi FROM t WHERE id = 1 FOR UPDATE', 'SELECT * FROM t WHERE hi > 1 ORDER BY hi, id FOR SHARE', 'SELECT row_to_json(t) FROM t ORDER BY id', 'SELECT hi::int, lo::float8, hi::text, hi || ''!'', -hi, abs(hi), hi / 2, upper(name), length(name), at::date FROM t ORDER BY id',
  'SELECT coalesce(hi, 0), greatest(hi, 3), CASE WHEN any_of THEN hi ELSE 0 END FROM t ORDER BY id', 'SELECT DISTINCT ON (hi) hi, lo FROM t ORDER BY hi, lo', 'SELECT name FROM t WHERE name LIKE ''%z%'' ORDER BY id', 'SELECT id FROM t WHERE NOT any_of ORDER BY id');
