-- Behind a change that the router has announced, a function of the client's makes none of its own, on one node alone.
-- as: abelian
CREATE SCHEMA fields AUTHORIZATION client;
-- as: client
CREATE TABLE fields.one (name text);
INSERT INTO fields.one VALUES ('fields.two');
CREATE FUNCTION fields.place(name text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM create_distributed_table(name, 'id'); RETURN name; END $$;
CREATE FUNCTION fields.drop_it(name text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM query_to_xml('SELECT undistribute_table(' || quote_literal(name) || ')', true, true, ''); RETURN name; END $$;
CREATE TABLE fields.two (id int PRIMARY KEY);
SELECT fields.place(name) FROM fields.one;
--! 55000
BEGIN;
CREATE TABLE fields.three (id int PRIMARY KEY);
SELECT fields.place(name) FROM fields.one;
--! 55000
ROLLBACK;
SELECT create_distributed_table('fields.two', 'id');
BEGIN;
CREATE TABLE fields.three (id int PRIMARY KEY);
SELECT fields.drop_it(name) FROM fields.one;
--! 55000
ROLLBACK;
SELECT create_distributed_table(fields.place('fields.two'), 'id');
--! 0A000
-- What differs from node to node must not decide about the placement.
SELECT create_distributed_table(name, 'id') FROM fields.one;
--! 0A000
SELECT create_reference_table('fields.three') WHERE pg_backend_pid() % 2 = 0;
--! 42P01
DROP SCHEMA fields CASCADE;
-- as: abelian node
SELECT count(DISTINCT relation) FROM abelian.placement WHERE relation::text LIKE 'fields.%';
--= 0
