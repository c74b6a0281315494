-- as: abelian
-- INSERTs whose random keys the router makes: the text that it runs, and whether that can be done again.
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA shop;
CREATE TABLE shop.bill (shop int, id uuid DEFAULT gen_random_uuid(), at timestamptz, note text DEFAULT 'none', PRIMARY KEY (shop, id));
CREATE TABLE shop.named (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text UNIQUE);
CREATE TABLE shop.twice (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), token uuid UNIQUE DEFAULT gen_random_uuid(), n int);
CREATE TABLE shop.free (id uuid DEFAULT gen_random_uuid(), n int);
CREATE TABLE shop.given (id uuid PRIMARY KEY, n int);
CREATE TABLE shop.chosen (id uuid PRIMARY KEY DEFAULT '00000000-0000-0000-0000-000000000001', n int);
CREATE TABLE shop.hashed (id uuid PRIMARY KEY DEFAULT md5(random()::text)::uuid, n int);
CREATE TABLE shop.nested (id uuid PRIMARY KEY DEFAULT coalesce(gen_random_uuid()), n int);
CREATE TABLE shop.texts (id text PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE DOMAIN shop.key AS uuid;
CREATE TABLE shop.domains (id shop.key PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE TABLE shop.part (id uuid DEFAULT gen_random_uuid(), n int);
CREATE UNIQUE INDEX ON shop.part (n, id) WHERE n > 0;
CREATE TABLE shop.rest (id uuid DEFAULT gen_random_uuid(), n int);
CREATE UNIQUE INDEX ON shop.rest (n) WHERE n > 0;
CREATE TABLE shop.computed (id uuid DEFAULT gen_random_uuid(), n int);
CREATE UNIQUE INDEX ON shop.computed (abs(n), id);
CREATE TABLE shop.folded (id uuid DEFAULT gen_random_uuid(), n int);
CREATE UNIQUE INDEX ON shop.folded ((left(id::text, 1)));
CREATE TABLE shop.excluded (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), span int4range, EXCLUDE USING gist (span WITH &&));
CREATE TABLE shop.same (id uuid DEFAULT gen_random_uuid(), EXCLUDE USING btree (id WITH =));
CREATE TABLE shop.later (id uuid PRIMARY KEY DEFERRABLE INITIALLY DEFERRED DEFAULT gen_random_uuid(), n int);
CREATE TABLE shop.watched (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE FUNCTION shop.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER t BEFORE INSERT ON shop.watched FOR EACH ROW EXECUTE FUNCTION shop.nothing();
CREATE TABLE shop.parent (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
CREATE TABLE shop.child (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), bill uuid REFERENCES shop.parent);
CREATE TABLE shop.guarded (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
ALTER TABLE shop.guarded ENABLE ROW LEVEL SECURITY;
CREATE UNLOGGED TABLE shop.loose (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE TABLE shop.parts (id uuid DEFAULT gen_random_uuid(), n int, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
CREATE TABLE shop.counted (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int GENERATED ALWAYS AS IDENTITY);
CREATE TABLE shop.numbered (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n serial);
CREATE TABLE shop.timed (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), at timestamptz DEFAULT now());
CREATE TABLE shop.derived (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, m int GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE shop.initial (id uuid DEFAULT gen_random_uuid(), first text GENERATED ALWAYS AS (left('a', 1)) STORED UNIQUE, PRIMARY KEY (id));
CREATE TABLE shop.liked (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), likes abelian.counter DEFAULT 0);
CREATE OPERATOR CLASS shop.backwards FOR TYPE uuid USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 uuid_cmp(uuid, uuid);
CREATE TABLE shop.classed (id uuid DEFAULT gen_random_uuid(), n int);
CREATE UNIQUE INDEX ON shop.classed (id shop.backwards);
CREATE VIEW shop.bills AS SELECT * FROM shop.bill;
CREATE FUNCTION shop.gen_random_uuid() RETURNS uuid LANGUAGE sql AS 'SELECT pg_catalog.gen_random_uuid()';
SET search_path = shop, public;
CREATE FUNCTION pg_temp.made(statement text) RETURNS text LANGUAGE sql AS
$$ SELECT coalesce(f #>> '{made,count}' || ' in ' || (f #>> '{made,text}') || E'\n    again: '
     || coalesce(f #>> '{made,facts,blind,redo}', f #>> '{made,facts,blind,redo_returning}', 'no, ' || (f #>> '{made,facts,blind,reason}')), 'none; ' || coalesce(f #>> '{blind,redo}', f #>> '{blind,redo_returning}', f #>> '{blind,reason}'))
   FROM jsonb_array_elements(abelian.analyze(statement, '{}')::jsonb) f $$;
\echo -- not asked for, and not needed, it is only said that there is something to ask for
SELECT f -> 'random_keys', f -> 'made' IS NULL FROM jsonb_array_elements(abelian.analyze('INSERT INTO bill (shop) VALUES (1); INSERT INTO given VALUES ($1, 1)', '{}')::jsonb) f;
SET abelian.random_keys = on;
\echo -- omitted, DEFAULT, and written; one row and several
SELECT n || ': ' || pg_temp.made(s) FROM (VALUES
  (1, 'INSERT INTO bill (shop, at) VALUES (1, $1)'),
  (2, 'INSERT INTO bill VALUES (1, DEFAULT)'),
  (3, 'INSERT INTO bill VALUES (1, gen_random_uuid(), ''2026-02-01 10:00+00'', ''it''''s'')'),
  (4, 'INSERT INTO bill (shop) VALUES (1), ($1), (3)'),
  (5, 'INSERT INTO bill (note, id, shop) VALUES ($2, DEFAULT, 1), (''x'', gen_random_uuid(), $1)'),
  (6, 'INSERT INTO twice (n) VALUES (1), (2)'),
  (7, 'INSERT INTO named DEFAULT VALUES'),
  (8, 'INSERT INTO free (n) VALUES (1)'),
  (9, 'INSERT INTO given VALUES (gen_random_uuid(), 1)'),
  (10, 'INSERT INTO part (n) VALUES (1)'),
  (11, 'INSERT INTO computed (n) VALUES (1)'),
  (12, 'INSERT INTO derived (n) VALUES (1)'),
  (13, 'INSERT INTO bill AS b (shop) VALUES (1) RETURNING id, b.shop AS s'),
  (14, 'INSERT INTO liked (likes) VALUES (3) RETURNING id')) v(n, s) ORDER BY n;
\echo -- what must not be done again
SELECT n || ': ' || pg_temp.made(s) FROM (VALUES
  (1, 'INSERT INTO bill (shop, id) VALUES (1, $1)'),
  (2, 'INSERT INTO bill (shop, id) VALUES (1, ''00000000-0000-0000-0000-000000000002'')'),
  (3, 'INSERT INTO bill (shop, id) VALUES (1, DEFAULT), (2, $1)'),
  (4, 'INSERT INTO bill (shop, id) VALUES (1, shop.gen_random_uuid())'),
  (5, 'INSERT INTO bill (shop, at) VALUES (1, now())'),
  (6, 'INSERT INTO bill (shop) VALUES ((random() * 9)::int)'),
  (7, 'INSERT INTO bill (shop) VALUES ((SELECT 1))'),
  (8, 'INSERT INTO bill (shop) SELECT 1'),
  (9, 'INSERT INTO bill (shop) VALUES (1) ON CONFLICT DO NOTHING'),
  (10, 'WITH w AS (SELECT 1) INSERT INTO bill (shop) VALUES (1)'),
  (11, 'INSERT INTO bills (shop, id) VALUES (1, gen_random_uuid())'),
  (12, 'INSERT INTO named (name) VALUES (''x'')'),
  (13, 'INSERT INTO given (n) VALUES (1)'),
  (14, 'INSERT INTO chosen (n) VALUES (1)'),
  (15, 'INSERT INTO hashed (n) VALUES (1)'),
  (16, 'INSERT INTO nested (n) VALUES (1)'),
  (17, 'INSERT INTO texts (n) VALUES (1)'),
  (18, 'INSERT INTO domains (n) VALUES (1)'),
  (19, 'INSERT INTO rest (n) VALUES (1)'),
  (20, 'INSERT INTO folded (n) VALUES (1)'),
  (21, 'INSERT INTO excluded (span) VALUES (''[1,2)'')'),
  (22, 'INSERT INTO same DEFAULT VALUES'),
  (23, 'INSERT INTO later (n) VALUES (1)'),
  (24, 'INSERT INTO watched (n) VALUES (1)'),
  (25, 'INSERT INTO child (bill) VALUES (NULL)'),
  (41, 'INSERT INTO parent DEFAULT VALUES'),
  (26, 'INSERT INTO guarded (n) VALUES (1)'),
  (27, 'INSERT INTO loose (n) VALUES (1)'),
  (28, 'INSERT INTO parts (n) VALUES (1)'),
  (29, 'INSERT INTO counted DEFAULT VALUES'),
  (30, 'INSERT INTO numbered DEFAULT VALUES'),
  (31, 'INSERT INTO timed DEFAULT VALUES'),
  (32, 'INSERT INTO initial DEFAULT VALUES'),
  (33, 'INSERT INTO classed (n) VALUES (1)'),
  (34, 'INSERT INTO bill (shop) VALUES (1) RETURNING *'),
  (35, 'INSERT INTO bill (shop) VALUES (1) RETURNING note'),
  (36, 'INSERT INTO bill (shop) VALUES (1) RETURNING id, id::text'),
  (37, 'INSERT INTO bill (shop) VALUES (1) RETURNING ctid'),
  (38, 'INSERT INTO bill (shop, note) VALUES (1, DEFAULT), (2, ''x'') RETURNING note'),
  (39, 'INSERT INTO liked (likes) VALUES (3) RETURNING likes'),
  (40, 'UPDATE bill SET note = ''x'' WHERE id = gen_random_uuid()')) v(n, s) ORDER BY n;
\echo -- without a made value, RETURNING of what is given
SELECT pg_temp.made('INSERT INTO free (id, n) VALUES ($1, 2) RETURNING n, id');
\echo -- too many values for one statement
SELECT left(pg_temp.made('INSERT INTO bill (shop) VALUES ' || string_agg('(' || n || ')', ', ')), 5) FROM generate_series(1, 1000) n;
SELECT left(pg_temp.made('INSERT INTO bill (shop) VALUES ' || string_agg('(' || n || ')', ', ')), 5) FROM generate_series(1, 1001) n;
\echo -- texts do not depend on the settings of who analyses, nor of who runs them
SET DateStyle = 'German'; SET IntervalStyle = 'sql_standard'; SET extra_float_digits = -5; SET TimeZone = 'Asia/Tokyo'; SET standard_conforming_strings = off; SET escape_string_warning = off;
CREATE TABLE moment (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), day date, at timestamptz, span interval, x float8, path text);
SELECT pg_temp.made($$INSERT INTO moment (day, at, span, x, path) VALUES ('02.03.2026', '02.03.2026 01:00+00', '-1 2:03:04', 0.1234567890123456, 'a\\b')$$);
RESET DateStyle; RESET IntervalStyle; RESET extra_float_digits; RESET TimeZone; RESET standard_conforming_strings;
\echo -- a default needs no privilege, a value does
CREATE ROLE clerk;
GRANT USAGE ON SCHEMA shop TO clerk;
GRANT INSERT (shop, at) ON bill TO clerk;
GRANT INSERT ON free TO clerk;
CREATE FUNCTION shop.made(statement text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(abelian.analyze(statement, '{}')::jsonb #>> '{0,made,text}', 'none') $$;
SET ROLE clerk;
SELECT shop.made('INSERT INTO bill (shop) VALUES (1)'), shop.made('INSERT INTO free (n) VALUES (1)');
RESET ROLE;
\echo -- again: the row is there once, also where somebody has taken its key
DO $$
DECLARE
  facts jsonb := abelian.analyze('INSERT INTO bill (shop, note) VALUES ($1, $2), (8, ''x'') RETURNING id', '{}')::jsonb #> '{0,made,facts}';
  operation jsonb := jsonb_build_object('sql', facts #>> '{blind,redo_returning}', 'types', facts -> 'parameters',
    'values', '["7", "seven", "00000000-0000-4000-8000-000000000007", "00000000-0000-4000-8000-000000000008"]'::jsonb);
BEGIN
  INSERT INTO bill (shop, id, note) VALUES (8, '00000000-0000-4000-8000-000000000008', 'taken');
  PERFORM abelian.run_operations(current_user, jsonb_build_array(operation)::text);
END $$;
SELECT shop, id, note FROM bill ORDER BY shop;
RESET search_path;
SET client_min_messages = error;
DROP SCHEMA shop CASCADE;
DROP OWNED BY clerk;
DROP ROLE clerk;
