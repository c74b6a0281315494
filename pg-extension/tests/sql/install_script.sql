-- as: abelian
-- The install scripts and every chain of updates make the same catalogue: each column of each row that belongs to one of the extensions, rights and comments included.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
-- What PostgreSQL numbers by itself (from its minor versions of November 2026 on, each column in its options), and what changes while a table is used, says nothing about it.
CREATE FUNCTION without_numbers(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT regexp_replace($1, '(pg_toast_|ConstraintTrigger_[ac]_)\d+', '\1N', 'g') $$;
CREATE FUNCTION named(class oid, object oid, part integer DEFAULT 0) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT without_numbers(CASE WHEN object = 0 THEN '-' WHEN class = 'pg_authid'::regclass THEN object::regrole::text ELSE
    (SELECT concat_ws(' ', i.type, i.identity) FROM pg_identify_object(class, object, part) i) END) $$;
-- All objects that depend on the extensions, through others too.
CREATE FUNCTION members() RETURNS TABLE (class oid, object oid) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE member AS (
    SELECT 'pg_extension'::regclass::oid AS classid, oid AS objid FROM pg_extension WHERE extname IN ('abelian', 'abelian_cluster')
    UNION SELECT d.classid, d.objid FROM member m JOIN pg_depend d ON d.refclassid = m.classid AND d.refobjid = m.objid
  ) SELECT * FROM member $$;
-- Texts instead of trees, which hold numbers of objects and places in their source.
CREATE FUNCTION definition(class oid, object oid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE class
    WHEN 'pg_proc'::regclass THEN (SELECT CASE WHEN prokind <> 'a' THEN pg_get_functiondef(oid) END FROM pg_proc WHERE oid = object)
    WHEN 'pg_class'::regclass THEN (SELECT CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) WHEN relkind = 'i' THEN pg_get_indexdef(oid) END FROM pg_class WHERE oid = object)
    WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(object)
    WHEN 'pg_trigger'::regclass THEN pg_get_triggerdef(object)
    WHEN 'pg_attrdef'::regclass THEN (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE oid = object)
  END $$;
-- Tables of the catalogue, their column that says whose the row is, and how each column is told.
CREATE FUNCTION told(catalogue regclass, column_name name, type oid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN catalogue = 'pg_depend'::regclass AND column_name = 'refobjid' THEN 'named(r.refclassid, r.refobjid, r.refobjsubid)'
    WHEN f IS NULL AND type = 'oid'::regtype THEN NULL
    WHEN f IS NULL THEN format('without_numbers(r.%I::text)', column_name)
    WHEN 'oid' <> ALL (pkcols) THEN format('r.%I::text', column_name)
    WHEN is_array THEN format('(SELECT array_agg(named(%s, o) ORDER BY n) FROM unnest(r.%I::oid[]) WITH ORDINALITY u (o, n))::text', pktable::oid, column_name)
    ELSE format('named(%s, r.%I)', pktable::oid, column_name) END
  FROM (VALUES (1)) v LEFT JOIN LATERAL (SELECT f, f.* FROM pg_get_catalog_foreign_keys() f WHERE fktable = catalogue AND fkcols[cardinality(fkcols)] = column_name
    ORDER BY cardinality(fkcols) LIMIT 1) f ON true $$;
CREATE FUNCTION rows_of(catalogue regclass, owner_class text, owner_column name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE columns text;
BEGIN
  SELECT string_agg(format('%L, %s', attname, told(catalogue, attname, atttypid)), ', ' ORDER BY attname) INTO columns FROM pg_attribute
   WHERE attrelid = catalogue AND attnum > 0 AND told(catalogue, attname, atttypid) IS NOT NULL AND atttypid <> 'pg_node_tree'::regtype
     AND attname NOT IN ('relfilenode', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid', 'attmissingval', 'attoptions', 'extversion');
  RETURN QUERY EXECUTE format('SELECT %L || named(m.class, m.object) || (jsonb_build_object(%s)::text) FROM %s r JOIN members() m
    ON m.object = r.%I AND m.class = %s', catalogue || ' of ', columns || CASE WHEN owner_column = 'oid' THEN ', ''definition'', without_numbers(definition(m.class, m.object))' ELSE '' END, catalogue, owner_column, owner_class);
END $$;
CREATE FUNCTION catalogue() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT rows_of(c, format('%s', c::oid), 'oid') FROM unnest('{pg_am,pg_amop,pg_amproc,pg_attrdef,pg_cast,pg_class,pg_collation,pg_constraint,pg_conversion,pg_enum,pg_event_trigger,pg_extension,
    pg_language,pg_namespace,pg_opclass,pg_operator,pg_opfamily,pg_policy,pg_proc,pg_rewrite,pg_trigger,pg_type}'::regclass[]) c
  UNION ALL SELECT rows_of(c, format('%s', owner::oid), key) FROM (VALUES ('pg_aggregate'::regclass, 'aggfnoid'::name, 'pg_proc'::regclass), ('pg_attribute', 'attrelid', 'pg_class'),
    ('pg_index', 'indexrelid', 'pg_class'), ('pg_inherits', 'inhrelid', 'pg_class'), ('pg_range', 'rngtypid', 'pg_type'), ('pg_sequence', 'seqrelid', 'pg_class')) k (c, key, owner)
  UNION ALL SELECT rows_of(c, 'r.classoid', 'objoid') FROM unnest('{pg_description,pg_init_privs,pg_seclabel}'::regclass[]) c
  UNION ALL SELECT rows_of('pg_depend', 'r.classid', 'objid') $$;
CREATE TABLE installed AS SELECT what FROM catalogue() what;
SELECT count(*) > 5000, count(*) FILTER (WHERE what LIKE 'pg\_proc of%') > 400 FROM installed;
-- In both directions, none of which may be left.
CREATE FUNCTION differences(label text) RETURNS TABLE (difference text) LANGUAGE plpgsql AS $$
BEGIN
  CREATE TEMP TABLE found AS SELECT what FROM catalogue() what;
  RETURN QUERY (SELECT label || ' lacks ' || what FROM (SELECT what FROM installed EXCEPT ALL SELECT what FROM found) l ORDER BY what COLLATE "C" LIMIT 20);
  RETURN QUERY (SELECT label || ' has ' || what FROM (SELECT what FROM found EXCEPT ALL SELECT what FROM installed) h ORDER BY what COLLATE "C" LIMIT 20);
  DROP TABLE found;
END $$;
CREATE PROCEDURE compare(INOUT versions integer) LANGUAGE plpgsql AS $$
DECLARE former text; told text;
BEGIN
  versions := 0;
  FOR former IN SELECT version FROM pg_available_extension_versions WHERE name = 'abelian' AND version <> (SELECT default_version FROM pg_available_extensions WHERE name = 'abelian') ORDER BY 1 LOOP
    DROP EXTENSION abelian_cluster, abelian;
    EXECUTE format('CREATE EXTENSION abelian VERSION %L', former);
    ALTER EXTENSION abelian UPDATE;
    CREATE EXTENSION abelian_cluster VERSION 'unpackaged';
    ALTER EXTENSION abelian_cluster UPDATE;
    FOR told IN SELECT difference FROM differences(former) LOOP RAISE WARNING '%', told; END LOOP;
    versions := versions + 1;
  END LOOP;
END $$;
SET statement_timeout = '150s';
CALL compare(0);
-- The comparison finds a right, a comment, a property and a column.
GRANT EXECUTE ON FUNCTION abelian.router_key(uuid) TO app;
COMMENT ON TYPE abelian.counter IS 'another';
ALTER FUNCTION abelian.counter_value(abelian.counter) VOLATILE;
ALTER TABLE abelian.placement ADD more integer;
SELECT count(*) > 0, count(*) FILTER (WHERE difference LIKE '%router_key%') > 0, count(*) FILTER (WHERE difference LIKE '%another%'),
       count(*) FILTER (WHERE difference LIKE '% has pg\_proc of function abelian.counter_value(%'), count(*) FILTER (WHERE difference LIKE '% has pg\_attribute of table abelian.placement%"more"%') FROM differences('this');
