-- A stranger's operators in the path of a role that sends a DO: what the router asks nodes because of it finds none of them.
-- as: abelian
CREATE SCHEMA shadows AUTHORIZATION stranger;
GRANT USAGE ON SCHEMA shadows TO PUBLIC;
CREATE TABLE shadows.called (what text);
GRANT INSERT ON shadows.called TO PUBLIC;
-- as: stranger
CREATE FUNCTION shadows.trap(oid, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO shadows.called VALUES ('trap'); RETURN true; END $$;
CREATE OPERATOR shadows.<> (FUNCTION = shadows.trap, LEFTARG = oid, RIGHTARG = int);
CREATE OPERATOR shadows.= (FUNCTION = shadows.trap, LEFTARG = oid, RIGHTARG = int);
-- as: abelian
SET search_path = shadows, pg_catalog;
DO $$ BEGIN EXECUTE 'SELECT 1'; END $$;
DO $$ BEGIN EXECUTE 'CREATE SCHEMA shadowed'; END $$;
SELECT pg_catalog.count(*) FROM shadows.called;
--= 0
