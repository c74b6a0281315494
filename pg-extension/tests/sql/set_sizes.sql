-- CHECKs over the size of a set are bounds that each row has for itself: whichever way a statement takes, it does what it does over an
-- array, and operations stay operations.
\set QUIET on
\pset format unaligned
CREATE FUNCTION with_element(text[], text) RETURNS text[] IMMUTABLE LANGUAGE sql AS
  'SELECT ARRAY(SELECT DISTINCT x COLLATE "C" FROM unnest(coalesce($1, ARRAY[]::text[]) || $2) x ORDER BY 1)';
CREATE TABLE event (
  id int PRIMARY KEY, seats int, least smallint DEFAULT 0, note text,
  guests abelian.set DEFAULT '{}' CONSTRAINT seats_there_are CHECK (abelian.size(guests) <= seats),
  tags abelian.set DEFAULT '{a}' CHECK (cardinality(tags::text[]) BETWEEN least AND 3),
  tokens abelian.set_uuid DEFAULT '{}' CHECK (2 >= abelian.size(tokens) AND abelian.size(tokens) >= 0),
  free abelian.set DEFAULT '{}');
CREATE TABLE plain (
  id int PRIMARY KEY, seats int, least smallint DEFAULT 0, note text,
  guests text[] DEFAULT '{}' CONSTRAINT seats_there_are CHECK (cardinality(guests) <= seats),
  tags text[] DEFAULT '{a}' CHECK (cardinality(tags) BETWEEN least AND 3));
INSERT INTO event (id, seats) VALUES (1, 3), (2, 0), (3, NULL);
INSERT INTO plain (id, seats) VALUES (1, 3), (2, 0), (3, NULL);
INSERT INTO event (id, seats, guests) VALUES (4, 1, NULL);
INSERT INTO plain (id, seats, guests) VALUES (4, 1, NULL);
\set QUIET off

-- Both tables: what came of it, and whether that is the same. `+` adds an element, `-` takes one out.
CREATE FUNCTION alike(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE here text; there text; name text;
BEGIN
  BEGIN
    EXECUTE regexp_replace(regexp_replace(replace(statement, '@', 'plain'), '\+(\w+)\(([^)]+)\)', '\1 = with_element(\1, \2)', 'g'), '\-(\w+)\(([^)]+)\)', '\1 = array_remove(\1, \2)', 'g');
    there := 'done';
  EXCEPTION WHEN others THEN there := SQLSTATE; END;
  BEGIN
    EXECUTE regexp_replace(regexp_replace(replace(statement, '@', 'event'), '\+(\w+)\(([^)]+)\)', '\1 = abelian.add(\1, \2)', 'g'), '\-(\w+)\(([^)]+)\)', '\1 = abelian.remove(\1, \2)', 'g');
    here := 'done';
  EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME; here := SQLSTATE; END;
  IF here <> there THEN RETURN 'plain: ' || there || ', here: ' || here; END IF;
  RETURN concat_ws(' ', here, nullif(name, ''));
END $$;
CREATE FUNCTION way(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    IF line LIKE '%AbelianOperation%' THEN RETURN 'operation'; END IF;
  END LOOP;
  RETURN 'alone';
END $$;
CREATE VIEW difference AS
  SELECT id, seats, least, note, guests::text[], tags::text[] FROM event EXCEPT SELECT * FROM plain;

SELECT statement, way(statement) FROM unnest(ARRAY[
  'UPDATE event SET guests = abelian.add(guests, ''x'') WHERE id = 1', 'UPDATE event SET tags = abelian.remove(tags, ''x''), guests = abelian.add(guests, ''y'')',
  'UPDATE event SET tokens = abelian.add(tokens, ''00000000-0000-0000-0000-000000000001'')', 'UPDATE event SET free = abelian.add(free, ''x'')',
  'UPDATE event SET guests = abelian.add(guests, ''x''), note = ''x''', 'UPDATE event SET guests = ''{}''',
  'UPDATE event SET guests = abelian.add(guests, ''x'') WHERE id = 1 AND abelian.size(guests) < seats']) statement;

-- In the row, in slices, and in the row again.
DO $$
DECLARE way text; statement text; place int := 0;
BEGIN
  FOREACH way IN ARRAY '{auto,always,never}'::text[] LOOP
    PERFORM set_config('abelian.split', way, false);
    FOREACH statement IN ARRAY ARRAY[
      '+guests(''a'') WHERE id = 1', '+guests(''a'') WHERE id = 1', '+guests(''b'') WHERE id = 1', '+guests(''c'') WHERE id = 1', '+guests(''d'') WHERE id = 1', '+guests(''c'') WHERE id = 1',
      '-guests(''b'') WHERE id = 1', '-guests(''b'') WHERE id = 1', '+guests(''d'') WHERE id = 1', '+guests(''e'') WHERE id = 1', '+guests(''x'') WHERE id IN (1, 2)', '+guests(''x'') WHERE id = 2',
      '+guests(''a'') WHERE id = 3', '+guests(''b'') WHERE id = 3', '+guests(''a'') WHERE id = 4', '+guests(''b'') WHERE id = 4', '+guests(''a'') WHERE id = 4',
      '-tags(''a'') WHERE id = 1', 'least = 1 WHERE id = 1', '+tags(''b'') WHERE id = 1', 'least = 1 WHERE id = 1', '-tags(''c'') WHERE id = 1', '-tags(''b'') WHERE id = 1', '+tags(''c''), +guests(''f'') WHERE id = 1', '+tags(''d''), -guests(''a'') WHERE id = 1', '+tags(''e'') WHERE id = 1', '+tags(''f'') WHERE id = 1',
      'seats = 2 WHERE id = 1', 'seats = 1 WHERE id = 1', 'seats = 3, guests = ''{}'' WHERE id = 1', 'least = 0, tags = ''{a}'' WHERE id = 1', '+guests(''a''), note = ''n'' WHERE id = 1', '+guests(''b''), seats = 1 WHERE id = 1', '+guests(NULL) WHERE id = 4', 'guests = ''{}'' WHERE id < 4', 'guests = NULL WHERE id = 4', '+guests(id::text) WHERE id <> 2'] LOOP
      place := place + 1;
      RAISE NOTICE '%: % %', way, statement, alike('UPDATE @ SET ' || statement);
      IF EXISTS (SELECT FROM difference) AND statement <> '+guests(NULL) WHERE id = 4' THEN RAISE NOTICE 'differs: %', (SELECT d FROM difference d LIMIT 1); END IF;
    END LOOP;
  END LOOP;
END $$;
RESET abelian.split;

-- Several elements in one operation count together, and one that comes while another goes takes its place.
UPDATE event SET guests = '{a,b}', seats = 3 WHERE id = 1;
UPDATE event SET guests = abelian.add_all(guests, '{c,d}') WHERE id = 1;
UPDATE event SET guests = abelian.add_all(guests, '{b,c}') WHERE id = 1;
UPDATE event SET guests = abelian.add(abelian.remove(guests, 'a'), 'd') WHERE id = 1;
SET abelian.split = always;
UPDATE event SET guests = abelian.add(abelian.remove(guests, 'b'), 'e') WHERE id = 1;
UPDATE event SET guests = abelian.add(abelian.add(guests, 'f'), 'c') WHERE id = 1;
UPDATE event SET tokens = abelian.add(tokens, ('00000000-0000-0000-0000-00000000000' || n)::uuid) FROM generate_series(1, 3) n WHERE id = n;
UPDATE event SET tokens = abelian.add(tokens, ('00000000-0000-0000-0000-00000000000' || n)::uuid) FROM (VALUES (2)) v(n) WHERE id = 1;
UPDATE event SET tokens = abelian.add(tokens, '00000000-0000-0000-0000-000000000003') WHERE id = 1;
RESET abelian.split;
SELECT id, seats, guests, abelian.size(tokens) FROM event ORDER BY id;
-- ON CONFLICT and MERGE.
INSERT INTO event (id, seats) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET guests = abelian.add(event.guests, 'g');
INSERT INTO event (id, seats) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET guests = abelian.add(event.guests, 'g'), seats = 4;
MERGE INTO event USING (VALUES (1)) s(id) ON event.id = s.id WHEN MATCHED THEN UPDATE SET guests = abelian.add(event.guests, 'h');
-- Within one transaction, behind savepoints, and prepared.
SET abelian.split = always;
BEGIN;
UPDATE event SET guests = abelian.remove(guests, 'c') WHERE id = 1;
SAVEPOINT s;
UPDATE event SET guests = abelian.add(guests, 'i') WHERE id = 1;
SAVEPOINT t;
UPDATE event SET guests = abelian.add(guests, 'j') WHERE id = 1;
ROLLBACK TO t;
SELECT guests FROM event WHERE id = 1;
ROLLBACK TO s;
UPDATE event SET guests = abelian.add(guests, 'k') WHERE id = 1;
COMMIT;
SELECT guests FROM event WHERE id = 1;
-- One snapshot: the set is held.
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE event SET guests = abelian.add(guests, 'l') WHERE id = 1;
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE event SET guests = abelian.remove(guests, 'k') WHERE id = 1;
UPDATE event SET guests = abelian.add(guests, 'l') WHERE id = 1;
COMMIT;
RESET abelian.split;
SELECT guests FROM event WHERE id = 1;
-- Other CHECKs hold, too, and operations wait for their row.
CREATE TABLE other (id int, s abelian.set DEFAULT '{}' CHECK (abelian.size(s) <> 2), m abelian.multiset DEFAULT '{}' CHECK (abelian.size(m) < 2));
INSERT INTO other VALUES (1);
SELECT way('UPDATE other SET s = abelian.add(s, ''x'')'), way('UPDATE other SET m = abelian.add(m, ''x'')');
UPDATE other SET s = abelian.add_all(s, '{a,b}');
UPDATE other SET m = abelian.add(m, 'x');
UPDATE other SET m = abelian.add(m, 'x');
ALTER TABLE event DROP CONSTRAINT seats_there_are;
UPDATE event SET guests = abelian.add_all(guests, '{q,r}') WHERE id = 1;
ALTER TABLE event ADD CONSTRAINT seats_there_are CHECK (abelian.size(guests) <= seats);
ALTER TABLE event ADD CONSTRAINT seats_there_are CHECK (abelian.size(guests) <= seats) NOT VALID;
SELECT way('UPDATE event SET guests = abelian.add(guests, ''x'')');
UPDATE event SET guests = abelian.add(guests, 's') WHERE id = 1;
UPDATE event SET seats = 10 WHERE id = 1;
ALTER TABLE event VALIDATE CONSTRAINT seats_there_are;
SELECT way('UPDATE event SET guests = abelian.add(guests, ''x'')');
UPDATE event SET guests = abelian.add(guests, 's') WHERE id = 1 RETURNING id;
