-- Every statement gives what it gives over plain columns: rows, row count, SQLSTATE, and content afterwards.
-- The same schema four times: plain columns; Abelian columns with operations chosen by contention, all sent to slices,
-- and all sent down the ordinary path.
SET client_min_messages = warning;
CREATE SCHEMA plain; CREATE SCHEMA auto; CREATE SCHEMA slices; CREATE SCHEMA ordinary;

CREATE FUNCTION public.make(whole text, fraction text) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE definition text := $sql$
  CREATE TABLE t (id int PRIMARY KEY, c COUNTER, d DECIMAL, other COUNTER DEFAULT 0, note text DEFAULT 'n', n int DEFAULT 0);
  INSERT INTO t (id, c, d) VALUES (1, 10, 1.5), (2, 20, 2.50), (3, NULL, NULL), (4, -5, -0.1), (5, 0, 0);
  CREATE TABLE checked (id int PRIMARY KEY, c COUNTER CHECK (c >= 0), n int, twice int GENERATED ALWAYS AS (n * 2) STORED);
  INSERT INTO checked VALUES (1, 5, 1), (2, 1, 2);
  CREATE TABLE child (id int PRIMARY KEY, t int REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE);
  INSERT INTO child VALUES (1, 1), (2, 2);
  CREATE TABLE parted (id int, part int, c COUNTER, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
  CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
  CREATE TABLE parted_2 (extra text, part int NOT NULL, c COUNTER, id int NOT NULL);
  ALTER TABLE parted_2 DROP COLUMN extra;
  ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
  INSERT INTO parted VALUES (1, 1, 1), (2, 2, 2), (3, 1, 3);
  CREATE TABLE mother (id int, c COUNTER); CREATE TABLE daughter (more COUNTER) INHERITS (mother);
  INSERT INTO mother VALUES (1, 1); INSERT INTO daughter VALUES (2, 2, 7);
  CREATE VIEW v AS SELECT id, c, note FROM t WHERE id < 4;
  CREATE VIEW positive AS SELECT id, c FROM t WHERE c > 0 WITH CHECK OPTION;
  CREATE TABLE log (what text);
  CREATE TABLE triggered (id int PRIMARY KEY, c COUNTER);
  INSERT INTO triggered VALUES (1, 1), (2, 2);
  CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN INSERT INTO log VALUES (OLD.c || ' to ' || NEW.c); RETURN NULL; END $f$;
  CREATE TRIGGER after_row AFTER UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION note_change();
  CREATE TABLE doubled (id int PRIMARY KEY, c COUNTER);
  INSERT INTO doubled VALUES (1, 1), (2, 2);
  CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN IF NEW.id = 2 THEN RETURN NULL; END IF; NEW.c := NEW.c * 2; RETURN NEW; END $f$;
  CREATE TRIGGER before_row BEFORE UPDATE ON doubled FOR EACH ROW EXECUTE FUNCTION double();
  CREATE TABLE counted (id int PRIMARY KEY, c COUNTER);
  INSERT INTO counted VALUES (1, 1), (2, 2);
  CREATE FUNCTION count_changes() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN INSERT INTO log SELECT 'sum ' || sum(c) FROM changed; RETURN NULL; END $f$;
  CREATE TRIGGER after_statement AFTER UPDATE ON counted REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
  CREATE TABLE announced (id int PRIMARY KEY, c COUNTER);
  INSERT INTO announced VALUES (1, 1);
  CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS $f$
    BEGIN INSERT INTO log VALUES (TG_WHEN || ' ' || TG_OP); RETURN NULL; END $f$;
  CREATE TRIGGER statement_trigger BEFORE UPDATE ON announced EXECUTE FUNCTION announce();
  CREATE TABLE secured (id int PRIMARY KEY, owner text, c COUNTER);
  INSERT INTO secured VALUES (1, 'app', 1), (2, 'else', 2);
  ALTER TABLE secured ENABLE ROW LEVEL SECURITY; ALTER TABLE secured FORCE ROW LEVEL SECURITY;
  CREATE POLICY mine ON secured USING (owner = 'app') WITH CHECK (c < 5);
  CREATE FUNCTION bump(which int, by int) RETURNS int LANGUAGE plpgsql AS $f$
    DECLARE n int;
    BEGIN UPDATE t SET c = c + by WHERE id = which; GET DIAGNOSTICS n = ROW_COUNT;
      RETURN CASE WHEN FOUND THEN n ELSE -1 END; END $f$;
  CREATE FUNCTION bump_sql(which int, by bigint) RETURNS void LANGUAGE sql AS
    $f$ UPDATE t SET c = c + by WHERE id = which $f$;
$sql$;
BEGIN
  EXECUTE replace(replace(definition, 'COUNTER', whole), 'DECIMAL', fraction);
END $body$;

SET search_path = plain; SELECT public.make('bigint', 'numeric');
SET search_path = auto; SELECT public.make('abelian.counter', 'abelian.decimal_counter');
SET search_path = slices; SELECT public.make('abelian.counter', 'abelian.decimal_counter');
SET search_path = ordinary; SELECT public.make('abelian.counter', 'abelian.decimal_counter');
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
  FOREACH tab IN ARRAY '{t,checked,child,parted,mother,triggered,doubled,counted,announced,secured,log}'::text[] LOOP
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
SELECT same('UPDATE t SET c = c + 1 WHERE id = 1', 'UPDATE t SET c = c - 2', 'UPDATE t SET c = 3 + c WHERE id IN (1, 4)',
  'UPDATE t SET c = c + 5 - 2 + n', 'UPDATE t SET c = c + 1::smallint, d = d + 2', 'UPDATE t SET d = d - 0.25, c = c + 1 WHERE d > 0',
  'UPDATE t SET d = 1.125 + d + id, other = other + 1', 'UPDATE t AS x SET c = x.c + x.id WHERE x.note = ''n''', 'UPDATE t SET c = c + 1 WHERE false',
  'UPDATE ONLY t SET c = t.c + 1 WHERE id = 99', 'UPDATE t SET "c" = c::bigint + 1 WHERE id = 2');
-- NULL
SELECT same('UPDATE t SET c = c + NULL WHERE id = 5', 'UPDATE t SET c = c + 1 WHERE id = 5', 'UPDATE t SET c = 7 WHERE id = 5',
  'UPDATE t SET c = c + nullif(id, 5)', 'UPDATE t SET c = 0 WHERE id = 5', 'UPDATE t SET c = coalesce(c, 0) + 1');
-- overflow
SELECT same('UPDATE t SET c = c + 9223372036854775807 WHERE id = 1', 'UPDATE t SET c = 9223372036854775800 WHERE id = 1',
  'UPDATE t SET c = c + 7 WHERE id = 1', 'UPDATE t SET c = c + 1 WHERE id = 1', 'UPDATE t SET c = c - 9223372036854775807 WHERE id = 1',
  'UPDATE t SET c = c - 9223372036854775807 WHERE id = 1', 'UPDATE t SET c = c - 3 WHERE id = 1', 'UPDATE t SET c = 12 WHERE id = 1');
-- operations beside plain columns, read-modify-write, overwrite
SELECT same('UPDATE t SET c = c + 1, note = ''m'' WHERE id = 1', 'UPDATE t SET note = c WHERE id = 2', 'UPDATE t SET c = c * 2 + 1',
  'UPDATE t SET c = other, other = c', 'UPDATE t SET c = n, n = c WHERE id = 2', 'UPDATE t SET c = DEFAULT, other = DEFAULT WHERE id = 4',
  'UPDATE t SET c = c, d = d', 'UPDATE t SET (c, note) = (c + 1, ''z'') WHERE id = 1', 'UPDATE t SET (c, n) = (SELECT 5, 6) WHERE id = 1',
  'UPDATE t SET c = c + (SELECT count(*) FROM child)', 'UPDATE t SET c = c + (SELECT max(x.c) FROM t x)', 'UPDATE t SET c = c - c WHERE id = 2',
  'UPDATE t SET c = 1 - c WHERE id = 2', 'UPDATE t SET c = -c', 'UPDATE t SET c = c + other', 'UPDATE t SET c = c + c', 'UPDATE t SET c = ''17'' WHERE id = 4',
  'UPDATE t SET d = c, c = 3 WHERE id = 1', 'UPDATE t SET c = 1.5 WHERE id = 1', 'UPDATE t SET d = round(d * 1.1, 2)');
-- conditions on the value
SELECT same('UPDATE t SET c = c + 1 WHERE c > 5', 'UPDATE t SET c = c + 1 WHERE c IS NULL', 'UPDATE t SET note = ''big'' WHERE c > 10',
  'UPDATE t SET c = c - 1 WHERE c BETWEEN 1 AND 20 AND d > 0', 'UPDATE t SET other = other + 1 WHERE c = (SELECT max(c) FROM t)',
  'UPDATE t SET c = c + 1 WHERE t IS NOT NULL', 'UPDATE t SET c = c + 1 WHERE EXISTS (SELECT FROM child WHERE child.t = t.id AND t.c > 0)');
-- RETURNING
SELECT same('UPDATE t SET c = c + 1 WHERE id = 1 RETURNING c', 'UPDATE t SET c = c + 1, note = ''q'' WHERE id <= 2 RETURNING id, c, note, c + 1',
  'UPDATE t SET c = c + 1 WHERE id = 2 RETURNING id, note', 'UPDATE t SET c = c + 1 WHERE id = 2 RETURNING *', 'UPDATE t SET note = ''w'' RETURNING c, d',
  'UPDATE t SET c = 5 WHERE id = 1 RETURNING c', 'UPDATE t SET c = c + 1 WHERE id = 1 RETURNING t', 'UPDATE t SET d = d + 1 RETURNING id, d');
-- UPSERT
SELECT same('INSERT INTO t (id, c) VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET c = t.c + EXCLUDED.c',
  'INSERT INTO t (id, c) VALUES (1, 3) ON CONFLICT (id) DO UPDATE SET c = t.c + 1 RETURNING *', 'INSERT INTO t (id, c) VALUES (1, 3), (9, 4) ON CONFLICT (id) DO UPDATE SET c = EXCLUDED.c, note = ''u''',
  'INSERT INTO t (id, c) VALUES (9, 3) ON CONFLICT (id) DO UPDATE SET n = t.n + 1 WHERE t.c > 3', 'INSERT INTO t (id, c) VALUES (9, 3) ON CONFLICT (id) DO UPDATE SET c = t.c * 2, n = 4 WHERE t.c > 5',
  'INSERT INTO t (id, c) VALUES (9, 3) ON CONFLICT DO NOTHING', 'INSERT INTO t (id, c) VALUES (9, 3)', 'INSERT INTO t (id, c) VALUES (10, 1), (10, 2) ON CONFLICT (id) DO UPDATE SET c = t.c + 1',
  'INSERT INTO t (id, c, d) VALUES (11, DEFAULT, ''1.25'') RETURNING c, d, other');
-- FROM, the same row met twice, data-modifying CTEs
SELECT same('UPDATE t SET c = t.c + x.v FROM (VALUES (1, 5), (2, 6)) x (id, v) WHERE x.id = t.id', 'UPDATE t SET c = t.c + 1 FROM (VALUES (1), (1)) x (id) WHERE x.id = t.id',
  'UPDATE t SET c = t.c + o.c FROM t o WHERE o.id = t.id + 1', 'UPDATE t SET c = t.c + 1 FROM child WHERE child.t = t.id RETURNING t.id, t.c, child.id',
  'WITH w AS (UPDATE t SET c = c + 1 WHERE id = 1 RETURNING id) SELECT * FROM w', 'WITH w AS (UPDATE t SET c = c + 1 WHERE id = 1 RETURNING c) UPDATE t SET c = t.c + w.c FROM w WHERE id = 2',
  'WITH w AS (DELETE FROM t WHERE id = 9 RETURNING id, c) INSERT INTO t (id, c) SELECT id + 20, c FROM w', 'WITH x AS (SELECT 1 AS id) UPDATE t SET c = c + 1 FROM x WHERE t.id = x.id',
  'WITH w AS (INSERT INTO t (id, c) VALUES (40, 4) RETURNING c) SELECT c + 1 FROM w', 'UPDATE t SET c = c + 1 WHERE id IN (SELECT t FROM child)');
-- MERGE
SELECT same('MERGE INTO t USING (VALUES (1, 5), (50, 6)) x (id, v) ON x.id = t.id WHEN MATCHED THEN UPDATE SET c = t.c + x.v WHEN NOT MATCHED THEN INSERT (id, c) VALUES (x.id, x.v)',
  'MERGE INTO t USING (VALUES (50)) x (id) ON x.id = t.id WHEN MATCHED AND t.c > 5 THEN DELETE WHEN MATCHED THEN UPDATE SET c = 0');
-- stored copies are objects of their own
SELECT same('INSERT INTO t (id, c, d) SELECT id + 60, c, d FROM t WHERE id < 3', 'UPDATE t SET c = c + 100 WHERE id = 1', 'UPDATE t SET c = c + 1000, d = d + 1 WHERE id = 61',
  'INSERT INTO t (id, c) SELECT 70, c FROM t WHERE id = 1 UNION SELECT 71, 5', 'UPDATE t SET c = c + 1 WHERE id >= 60', 'UPDATE t SET other = c WHERE id = 1', 'UPDATE t SET c = c + 1 WHERE id = 1');
-- DELETE, keys
SELECT same('DELETE FROM t WHERE id = 70 RETURNING *', 'DELETE FROM t WHERE c > 1000', 'DELETE FROM t WHERE c = 0 RETURNING c', 'UPDATE t SET id = 100 WHERE id = 2', 'UPDATE t SET id = id + 200, c = c + 1 WHERE id = 100',
  'DELETE FROM t WHERE id = 300', 'UPDATE t SET c = c + 1 WHERE id = 1', 'DELETE FROM t USING child WHERE child.t = t.id RETURNING t.c');
SELECT same('INSERT INTO t (id, c, d) VALUES (1, 10, 1.5), (2, 20, 2.50) ON CONFLICT (id) DO UPDATE SET c = EXCLUDED.c, d = EXCLUDED.d', 'INSERT INTO child VALUES (1, 1), (2, 2) ON CONFLICT DO NOTHING');
-- CHECK, generated columns
SELECT same('UPDATE checked SET c = c - 2 WHERE id = 1', 'UPDATE checked SET c = c - 2 WHERE id = 2', 'UPDATE checked SET c = c - 1', 'UPDATE checked SET c = c + 1, n = n + 1', 'UPDATE checked SET n = 7 WHERE id = 1');
-- partitions and inheritance
SELECT same('UPDATE parted SET c = c + 1', 'UPDATE parted SET c = c + 1 WHERE id = 2 RETURNING c', 'UPDATE parted SET part = 2, c = c + 10 WHERE id = 1', 'UPDATE parted SET c = c + 1', 'UPDATE parted SET c = c * 2 WHERE c > 3',
  'UPDATE parted_2 SET c = c + 1', 'INSERT INTO parted VALUES (1, 2, 5) ON CONFLICT (id, part) DO UPDATE SET c = parted.c + EXCLUDED.c', 'UPDATE parted SET part = 1 WHERE id = 1', 'DELETE FROM parted WHERE c > 20 RETURNING c',
  'UPDATE parted SET c = 0', 'UPDATE mother SET c = c + 1', 'UPDATE mother SET c = c * 2 RETURNING c', 'UPDATE daughter SET c = c + 1, more = more + 1', 'UPDATE ONLY mother SET c = c + 1', 'DELETE FROM mother WHERE id = 2');
-- views
SELECT same('UPDATE v SET c = c + 1', 'UPDATE v SET c = c + 1 WHERE id = 1 RETURNING c', 'UPDATE v SET note = ''view'', c = 3 WHERE id = 2', 'INSERT INTO v VALUES (80, 8, ''x'')', 'UPDATE positive SET c = c - 1', 'UPDATE positive SET c = c - 1000 WHERE id = 1',
  'SELECT * FROM v ORDER BY id', 'DELETE FROM v WHERE c = 3 AND id = 2');
-- triggers
SELECT same('UPDATE triggered SET c = c + 1', 'UPDATE triggered SET c = c * 2 WHERE id = 1', 'UPDATE doubled SET c = c + 1', 'UPDATE doubled SET c = c + 1 WHERE id = 2', 'UPDATE doubled SET c = 7', 'UPDATE counted SET c = c + 1', 'UPDATE announced SET c = c + 1');
-- row security (the tables' owner is subject to it)
SELECT same('UPDATE secured SET c = c + 1', 'UPDATE secured SET c = c + 10', 'UPDATE secured SET c = c + 1 WHERE c = 2 RETURNING c', 'SELECT c FROM secured');
-- PL/pgSQL and SQL functions
SELECT same('SELECT bump(1, 5)', 'SELECT bump(99, 5)', 'SELECT bump_sql(1, 2)', 'DO $f$ BEGIN FOR i IN 1..10 LOOP UPDATE t SET c = c + i WHERE id = 4; END LOOP; END $f$',
  'DO $f$ BEGIN UPDATE t SET c = c + 1; BEGIN UPDATE t SET c = c + 100; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END; UPDATE t SET c = c + 1; END $f$',
  'DO $f$ DECLARE r t%ROWTYPE; BEGIN SELECT * INTO r FROM t WHERE id = 1; UPDATE t SET c = r.c + 1 WHERE id = r.id; INSERT INTO t (id, c) VALUES (90, r.c); END $f$', 'UPDATE t SET c = c + 1 WHERE id = 90',
  'DO $f$ DECLARE k CURSOR FOR SELECT * FROM t WHERE id < 3 FOR UPDATE; BEGIN FOR r IN k LOOP UPDATE t SET c = c + 1 WHERE CURRENT OF k; END LOOP; END $f$');
-- reading
SELECT same('SELECT c FROM t ORDER BY c', 'SELECT c, count(*) FROM t GROUP BY c ORDER BY c DESC NULLS LAST', 'SELECT DISTINCT c FROM t ORDER BY 1', 'SELECT c FROM t UNION SELECT other FROM t ORDER BY 1', 'SELECT c FROM t INTERSECT SELECT c FROM t ORDER BY c',
  'SELECT a.id, b.id FROM t a JOIN t b USING (c) ORDER BY 1, 2', 'SELECT c FROM t WHERE c IN (SELECT c FROM t) ORDER BY c', 'SELECT sum(c), avg(d), min(c), max(d), count(DISTINCT c) FROM t', 'SELECT rank() OVER (ORDER BY c, id), id FROM t',
  'SELECT c FROM t WHERE id = 1 FOR UPDATE', 'SELECT * FROM t WHERE c > 1 ORDER BY c, id FOR SHARE', 'SELECT c FROM t ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED', 'SELECT id FROM (SELECT * FROM t WHERE id = 1 FOR NO KEY UPDATE) x', 'SELECT row_to_json(t) FROM t ORDER BY id',
  'SELECT c::int, d::float8, c::text, c || ''!'', -c, abs(c), c / 2, c % 3 FROM t ORDER BY id', 'SELECT coalesce(c, 0), greatest(c, 3), CASE WHEN c > 0 THEN c ELSE 0 END FROM t ORDER BY id', 'SELECT c FROM t UNION ALL SELECT 1 ORDER BY 1',
  'SELECT DISTINCT ON (c) c, d FROM t ORDER BY c, d', 'SELECT x.c FROM (SELECT c FROM t GROUP BY c) x ORDER BY c', 'WITH RECURSIVE r(c) AS (SELECT c FROM t WHERE id = 1 UNION SELECT c + 1 FROM r WHERE c < 20) SELECT count(*) FROM r');
