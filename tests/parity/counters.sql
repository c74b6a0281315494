-- Turns bigint and numeric columns of new tables into counters, for the run `counters`: every column that may be one. What PostgreSQL or the
-- extension refuses (columns with an index, partition keys, ...), identity and generated columns, and numeric(p, s), which rounds, stay as they are.
-- So do those of tables whose columns get an index or become partitions later, and of the schema in which a test counts rewrites of tables.
CREATE SCHEMA parity;
GRANT USAGE ON SCHEMA parity TO PUBLIC;
CREATE FUNCTION parity.make_counters() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  made record;
BEGIN
  IF current_setting('parity.working', true) = 'yes' THEN
    RETURN;
  END IF;
  PERFORM set_config('parity.working', 'yes', true);
  FOR made IN
    SELECT c.objid::regclass AS relation, a.attname, CASE a.atttypid WHEN 'bigint'::regtype THEN 'abelian.counter' ELSE 'abelian.decimal_counter' END AS type
      FROM pg_event_trigger_ddl_commands() c JOIN pg_class r ON r.oid = c.objid JOIN pg_attribute a ON a.attrelid = c.objid
     WHERE c.classid = 'pg_class'::regclass AND r.relkind IN ('r', 'p') AND r.reloftype = 0 AND NOT c.in_extension
       AND (a.atttypid = 'bigint'::regtype OR a.atttypid = 'numeric'::regtype AND a.atttypmod = -1)
       AND r.relnamespace::regnamespace::text <> 'fast_default'
       AND r.relname !~ '^(brintest.*|brin_.*|test_default_tab.*|expr_key|insertconflict.*|btree_tall.*|delete_test_table|regress_tblspace_test.*|range_parted.*|part_.*|sub_part.*|upsert_.*|mlparted.*|list_part.*)$'
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = '' AND a.attinhcount = 0
  LOOP
    BEGIN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE %s', made.relation, made.attname, made.type);
    EXCEPTION WHEN OTHERS THEN
      RAISE LOG 'parity: %.% stays as it is: %', made.relation, made.attname, sqlerrm;
    END;
  END LOOP;
  PERFORM set_config('parity.working', 'no', true);
END $$;
CREATE EVENT TRIGGER make_counters ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE')
  EXECUTE FUNCTION parity.make_counters();
