-- A stranger's statement brings code of his along, which runs when a literal of his type is read; a superuser asks for advice on it. The code has the stranger's rights
-- alone. The stranger himself cannot have a statement analysed as another role.
CREATE SEQUENCE strangers.as_another;
CREATE SEQUENCE strangers.as_himself;
GRANT USAGE ON SCHEMA strangers TO PUBLIC;
GRANT ALL ON SEQUENCE strangers.as_another, strangers.as_himself TO PUBLIC;
CREATE FUNCTION strangers.spy(integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF current_user = 'stranger' THEN PERFORM nextval('strangers.as_himself'); ELSE PERFORM nextval('strangers.as_another'); END IF; RETURN true; END $$;
CREATE DOMAIN strangers.watched AS integer CHECK (strangers.spy(VALUE));
CREATE TYPE strangers.pair AS (a strangers.watched);
CREATE TABLE strangers.target (n bigint, p strangers.pair);
SELECT abelian.column_uses('UPDATE victims.page SET title = $1', 'victim'::regrole, 'victims');
--! 42501
SELECT abelian.column_uses('SELECT 1', 10, 'public');
--! 42501
-- as: abelian
SELECT abelian.column_uses('UPDATE strangers.target SET n = n + 1 WHERE p = ''(1)''::strangers.pair', 'stranger'::regrole, 'strangers')->0->'operations';
--= {"1":"add"}
SELECT (SELECT is_called FROM strangers.as_another), (SELECT is_called FROM strangers.as_himself);
--= f|t
SELECT abelian.column_uses('UPDATE strangers.target SET n = n + 1', 'stranger'::regrole, 'pg_catalog') IS NULL, current_user, current_setting('search_path');
--= f|abelian|public
-- as: stranger
SELECT * FROM abelian.advise_types();
--! 55000
