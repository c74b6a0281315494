-- The tables of the sqlsmith runs: columns of every type the extension has, in a plain table that is operated on, under a parent, under a trigger, in partitions, in a child,
-- behind a view, under row security.
SET client_min_messages = warning;

-- The types, each with a value it can be made of.
CREATE TABLE known AS
SELECT 'a_' || t.typname AS name, t.oid::regtype || CASE t.typname WHEN 'bounded_counter' THEN '(0)' ELSE '' END AS type, NULL::text AS literal
  FROM pg_type t WHERE t.typnamespace = 'abelian'::regnamespace AND t.typtype = 'b' AND t.typcategory <> 'A';

DO $$
DECLARE
  one record;
  candidate text;
BEGIN
  FOR one IN SELECT type FROM known LOOP
    FOREACH candidate IN ARRAY ARRAY['5', 'true', '2026-01-01 00:00+00', '{}', '[]', 'x'] LOOP
      BEGIN
        EXECUTE format('SELECT %L::%s', candidate, one.type);
        UPDATE known SET literal = candidate WHERE type = one.type;
        EXIT;
      EXCEPTION WHEN OTHERS THEN
        CONTINUE;
      END;
    END LOOP;
  END LOOP;
END $$;

DO $$
DECLARE
  columns text := (SELECT string_agg(format('%I %s DEFAULT %L', name, type, literal), ', ' ORDER BY name) FROM known);
BEGIN
  EXECUTE format('CREATE TABLE ordinary (id int PRIMARY KEY, n bigint, note text, %s)', columns);
  EXECUTE format('CREATE TABLE hot (id int PRIMARY KEY, %s)', columns);
  EXECUTE format('CREATE TABLE triggered (id int PRIMARY KEY, n numeric, %s)', columns);
  EXECUTE format('CREATE TABLE parted (id int NOT NULL, region int NOT NULL, %s) PARTITION BY RANGE (region)', columns);
  EXECUTE format('CREATE TABLE guarded (id int PRIMARY KEY, at timestamptz DEFAULT now(), %s)', columns);
END $$;
CREATE TABLE child (extra jsonb DEFAULT '{}') INHERITS (ordinary);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
CREATE VIEW seen AS SELECT * FROM ordinary WHERE id < 50;
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.n := coalesce(NEW.n, 0) + 1; RETURN NEW; END';
CREATE TRIGGER touched BEFORE UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION touched();
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY low ON guarded USING (id < 90);

INSERT INTO ordinary (id, n, note) SELECT i, i, 'note ' || i FROM generate_series(1, 20) i;
INSERT INTO child (id, n) SELECT i, i FROM generate_series(101, 105) i;
INSERT INTO hot (id) SELECT i FROM generate_series(1, 20) i;
INSERT INTO triggered (id, n) SELECT i, i FROM generate_series(1, 10) i;
INSERT INTO parted (id, region) SELECT i, i % 20 FROM generate_series(1, 40) i;
INSERT INTO guarded (id) SELECT i FROM generate_series(1, 20) i;
ANALYZE hot, ordinary, triggered, parted, guarded;
DROP TABLE known;
