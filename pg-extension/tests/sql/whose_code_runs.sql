-- as: abelian
-- The functions of a type over an aggregate run when slices are folded and when values are read. In the folding worker they have the rights of the
-- table's owner, and nobody but a superuser decides which functions they are.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
ALTER SYSTEM SET abelian.fold_after = 0;
ALTER SYSTEM SET abelian.fold_interval = 10;
SELECT pg_reload_conf();
CREATE PROCEDURE wait_until_folded(objects text) LANGUAGE plpgsql AS $$
DECLARE
  left_over int;
BEGIN
  FOR i IN 1..3000 LOOP
    SELECT count(*) INTO left_over FROM abelian.slice WHERE slot <> 0 AND relation = objects::regclass;
    IF left_over = 0 THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE 'not folded: slices %; workers %; locks %',
    (SELECT string_agg(format('%s %s %s %s', s.xmin, s.xmax, s.object, s.slot), ', ') FROM abelian.slice s),
    (SELECT string_agg(concat_ws(' ', datname, backend_type, state, wait_event_type, wait_event, backend_start), ', ') FROM pg_stat_activity WHERE backend_type LIKE 'abelian%'),
    (SELECT string_agg(concat_ws(' ', pid, locktype, relation, objid, objsubid, mode, granted), ', ') FROM pg_locks WHERE pid <> pg_backend_pid());
END $$;

-- What the functions find when the worker calls them.
CREATE TABLE seen (who name, path text, read_file text, kept_role text);
GRANT SELECT, INSERT ON seen TO app;
CREATE FUNCTION look(int, int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$
DECLARE
  got text := 'denied';
  role text := 'denied';
BEGIN
  IF pg_catalog.inet_client_port() IS NULL THEN -- no client: the worker
    BEGIN
      got := pg_catalog.pg_read_file('PG_VERSION');
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    BEGIN
      SET ROLE abelian;
      role := 'taken';
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    INSERT INTO public.seen VALUES (current_user, pg_catalog.current_setting('search_path'), got, role);
  END IF;
  RETURN $1 + $2;
END $$;
CREATE AGGREGATE looking(int) (SFUNC = look, STYPE = int, COMBINEFUNC = look, INITCOND = '0', PARALLEL = SAFE);
SELECT abelian.create_type('looker', 'looking(int)');
ALTER ROLE app SET abelian.split = always;
SET SESSION AUTHORIZATION app;
SET abelian.split = always;
CREATE TABLE watched (id int, n looker);
INSERT INTO watched VALUES (1, '0');
BEGIN;
UPDATE watched SET n = abelian.add(n, 1);
COMMIT;
-- A second slot, so that there is something to be merged.
BEGIN;
UPDATE watched SET n = abelian.add(n, 10);
PREPARE TRANSACTION 'second';
UPDATE watched SET n = abelian.add(n, 100);
COMMIT PREPARED 'second';
RESET SESSION AUTHORIZATION;
CALL wait_until_folded('watched');
SELECT DISTINCT * FROM seen;
SELECT n FROM watched;

-- A label says which functions are called: not for the owner of a type or a function to say.
ALTER TYPE looker OWNER TO app;
SET SESSION AUTHORIZATION app;
CREATE FUNCTION evil(int, int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  IF current_setting('is_superuser') = 'on' THEN
    ALTER ROLE app SUPERUSER;
  END IF;
  RETURN $1 + $2;
END $$;
CREATE AGGREGATE being_evil(int) (SFUNC = evil, STYPE = int, COMBINEFUNC = evil, INITCOND = '0', PARALLEL = SAFE);
SECURITY LABEL FOR abelian ON TYPE looker IS 'public.being_evil(pg_catalog.int4)';
CREATE FUNCTION change(looker, int) RETURNS looker LANGUAGE sql AS 'SELECT $1';
SECURITY LABEL FOR abelian ON FUNCTION change(looker, int) IS 'operation';
BEGIN;
UPDATE watched SET n = abelian.add(n, 1000);
PREPARE TRANSACTION 'second';
UPDATE watched SET n = abelian.add(n, 10000);
COMMIT PREPARED 'second';
RESET SESSION AUTHORIZATION;
CALL wait_until_folded('watched');
SELECT rolsuper FROM pg_roles WHERE rolname = 'app';
SET SESSION AUTHORIZATION app;
SECURITY LABEL FOR abelian ON TYPE looker IS NULL;
RESET SESSION AUTHORIZATION;
SECURITY LABEL FOR abelian ON TYPE looker IS 'public.being_evil(pg_catalog.int4)';

-- Functions that are given away run for nobody, and keep nobody's slices from being folded.
CREATE TABLE beside (id int, c abelian.counter);
INSERT INTO beside VALUES (1, 0);
-- Commands cannot give it away while a type is over it; an upgrade from older versions may bring it so.
UPDATE pg_proc SET proowner = 'app'::regrole WHERE oid = 'look(int, int)'::regprocedure;
SELECT n FROM watched;
SET abelian.split = always;
BEGIN;
UPDATE beside SET c = c + 1;
PREPARE TRANSACTION 'second';
UPDATE beside SET c = c + 10;
UPDATE watched SET n = abelian.add(n, 1);
COMMIT PREPARED 'second';
CALL wait_until_folded('beside');
SELECT c FROM beside;
ALTER FUNCTION look(int, int) OWNER TO abelian;
SELECT n FROM watched;

-- Neither do functions that fail.
CREATE FUNCTION failing(int, int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  IF pg_catalog.inet_client_port() IS NULL THEN -- no client: the worker
    RAISE 'not in the background';
  END IF;
  RETURN $1 + $2;
END $$;
CREATE AGGREGATE being_failing(int) (SFUNC = failing, STYPE = int, COMBINEFUNC = failing, INITCOND = '0', PARALLEL = SAFE);
SELECT abelian.create_type('failer', 'being_failing(int)');
CREATE TABLE stuck (id int, n failer);
INSERT INTO stuck VALUES (1, '0');
BEGIN;
UPDATE stuck SET n = abelian.add(n, 1);
PREPARE TRANSACTION 'second';
UPDATE stuck SET n = abelian.add(n, 10);
COMMIT PREPARED 'second';
BEGIN;
UPDATE beside SET c = c + 100;
PREPARE TRANSACTION 'second';
UPDATE beside SET c = c + 1000;
COMMIT PREPARED 'second';
CALL wait_until_folded('beside');
SELECT c FROM beside;
SELECT n FROM stuck;
SELECT count(*) FROM abelian.slice WHERE relation = 'stuck'::regclass;
CREATE OR REPLACE FUNCTION failing(int, int) RETURNS int LANGUAGE sql PARALLEL SAFE AS 'SELECT $1 + $2';

-- The initial state of an aggregate is read by its type's input function, which may be anybody's, too: for those who need it only.
CREATE DOMAIN careful AS int;
CREATE FUNCTION sum_of(careful, int) RETURNS careful LANGUAGE sql PARALLEL SAFE AS 'SELECT ($1 + $2)::careful';
CREATE FUNCTION both_of(careful, careful) RETURNS careful LANGUAGE sql PARALLEL SAFE AS 'SELECT ($1 + $2)::careful';
CREATE FUNCTION plain_of(careful) RETURNS int LANGUAGE sql PARALLEL SAFE AS 'SELECT $1::int';
CREATE AGGREGATE with_care(int) (SFUNC = sum_of, STYPE = careful, COMBINEFUNC = both_of, FINALFUNC = plain_of, INITCOND = '0', PARALLEL = SAFE);
SELECT abelian.create_type('carer', 'with_care(int)');
CREATE TABLE cared (id int, n carer);
INSERT INTO cared VALUES (1, '5');
CREATE FUNCTION told(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'called for %', current_user; END $$;
ALTER DOMAIN careful ADD CHECK (told(VALUE)) NOT VALID;
\connect -
SET client_min_messages = warning;
UPDATE beside SET c = c + 1;
SELECT id, n IS NULL FROM cared;
DROP TABLE cared;

-- A new index is looked at, its expressions are not computed for whoever makes it.
CREATE FUNCTION owners_part(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN ASSERT current_user = 'app', format('called for %s', current_user); RETURN $1; END $$;
CREATE TABLE indexed (a int, c abelian.counter);
ALTER TABLE indexed OWNER TO app;
INSERT INTO indexed VALUES (1, 1);
CREATE INDEX ON indexed ((owners_part(a) + owners_part(0)));
CREATE INDEX CONCURRENTLY ON indexed ((owners_part(a) + owners_part(0))) WHERE owners_part(a) > owners_part(0);
ALTER TABLE indexed ADD EXCLUDE ((owners_part(a) + owners_part(0)) WITH =);
REINDEX TABLE CONCURRENTLY indexed;
CREATE INDEX ON indexed ((c + owners_part(0)));
DROP TABLE indexed;

ALTER ROLE app RESET abelian.split;
ALTER SYSTEM RESET abelian.fold_after;
ALTER SYSTEM RESET abelian.fold_interval;
SELECT pg_reload_conf();
