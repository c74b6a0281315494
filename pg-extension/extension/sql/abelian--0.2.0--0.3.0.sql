-- What version 0.3.0 adds. Each room has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== types =========================================================================================
-- Operations on elements: functions that lock what they are about, see docs/design/elements.md.
CREATE OR REPLACE FUNCTION add(set, text) RETURNS set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION add(multiset, text, bigint) RETURNS multiset LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION add(scored_set, text, numeric) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add';
CREATE OR REPLACE FUNCTION put(scored_set, text, numeric) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put';
CREATE OR REPLACE FUNCTION remove(set, text) RETURNS set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
CREATE OR REPLACE FUNCTION remove(multiset, text, bigint DEFAULT 1) RETURNS multiset LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
CREATE OR REPLACE FUNCTION remove(scored_set, text) RETURNS scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';

SECURITY LABEL FOR abelian ON TYPE set IS 'abelian.set_of(pg_catalog.text); from abelian.set_state_of(pg_catalog._text); elements set';
SECURITY LABEL FOR abelian ON TYPE multiset IS 'abelian.multiset_of(pg_catalog.text, pg_catalog.int8); from abelian.multiset_state_of(pg_catalog.jsonb); elements multiset';
SECURITY LABEL FOR abelian ON TYPE scored_set IS 'abelian.scored_set_of(pg_catalog.text, pg_catalog."numeric"); from abelian.scored_set_state_of(pg_catalog.jsonb); elements scored_set';
DO $$
DECLARE
  operation text;
BEGIN
  FOREACH operation IN ARRAY ARRAY['add(abelian.set, text)', 'add(abelian.multiset, text)', 'add(abelian.multiset, text, bigint)', 'add(abelian.scored_set, text, numeric)',
      'put(abelian.scored_set, text, numeric)', 'remove(abelian.set, text)', 'remove(abelian.multiset, text, bigint)', 'remove(abelian.scored_set, text)'] LOOP
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.%s IS %L', operation, 'operation on elements');
  END LOOP;
END $$;

-- ---- dict
CREATE FUNCTION dict_empty() RETURNS bytea LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_empty';
CREATE FUNCTION dict_merge(bytea, bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_merge';
CREATE FUNCTION dict_step(bytea, text, text) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_step';
CREATE FUNCTION dict_value(bytea) RETURNS jsonb LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_value';
DO $$
BEGIN
  EXECUTE format('CREATE AGGREGATE dict_of(text, text) (SFUNC = dict_step, STYPE = bytea, FINALFUNC = dict_value, COMBINEFUNC = dict_merge, INITCOND = %L, PARALLEL = SAFE)', dict_empty()::text);
  EXECUTE format('CREATE AGGREGATE dict_state(text, text) (SFUNC = dict_step, STYPE = bytea, COMBINEFUNC = dict_merge, INITCOND = %L, PARALLEL = SAFE)', dict_empty()::text);
END $$;
CREATE FUNCTION dict_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  'SELECT abelian.dict_state(key, value) FROM jsonb_each_text($1)';
DO $$
BEGIN
  PERFORM abelian.make_type('abelian', 'dict', 'abelian.dict_of(text, text)', 'abelian.dict_state_of(pg_catalog.jsonb)');
END $$;
-- Nothing can be added to a dict without knowing its versions.
DROP FUNCTION add(dict, text, text);
SECURITY LABEL FOR abelian ON TYPE dict IS 'abelian.dict_of(pg_catalog.text, pg_catalog.text); from abelian.dict_state_of(pg_catalog.jsonb); elements dict';
CREATE FUNCTION put(dict, text, text) RETURNS dict LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put';
SECURITY LABEL FOR abelian ON FUNCTION put(dict, text, text) IS 'operation on elements';
CREATE FUNCTION remove(dict, text) RETURNS dict LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
SECURITY LABEL FOR abelian ON FUNCTION remove(dict, text) IS 'operation on elements';
CREATE FUNCTION get(dict, text) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT ($1::pg_catalog.jsonb) ->> $2';
CREATE FUNCTION contains(dict, text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT ($1::pg_catalog.jsonb) ? $2';
CREATE FUNCTION size(dict) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT count(*) FROM pg_catalog.jsonb_object_keys($1::pg_catalog.jsonb)';
CREATE FUNCTION keys(dict) RETURNS text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT ARRAY(SELECT key FROM pg_catalog.jsonb_object_keys($1::pg_catalog.jsonb) key ORDER BY key COLLATE pg_catalog."C")';

-- Queries of one element, which is all that a locking clause holds of what they ask.
CREATE FUNCTION newest_element(anyelement, text, tid, oid, integer) RETURNS anyelement LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_object_newest_element';
DO $$
DECLARE
  query text;
BEGIN
  FOREACH query IN ARRAY ARRAY['contains(abelian.set, text)', 'contains(abelian.multiset, text)', 'count(abelian.multiset, text)', 'contains(abelian.scored_set, text)',
      'score(abelian.scored_set, text)', 'contains(abelian.dict, text)', 'get(abelian.dict, text)'] LOOP
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.%s IS %L', query, 'query of an element');
  END LOOP;
END $$;

-- ---- unique_id
-- Each session takes some numbers at a time; what it does not draw is lost.
CREATE SEQUENCE unique_number CACHE 32;
SELECT pg_catalog.pg_extension_config_dump('unique_number', '');
DO $$
BEGIN
  PERFORM abelian.make_type('abelian', 'unique_id', 'pg_catalog.max(bigint)');
END $$;
DROP FUNCTION add(unique_id, bigint);
CREATE FUNCTION draw(unique_id) RETURNS unique_id LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'abelian_unique_id_draw';
SECURITY LABEL FOR abelian ON FUNCTION draw(unique_id) IS 'operation';
SECURITY LABEL FOR abelian ON TYPE unique_id IS 'pg_catalog.max(pg_catalog.int8); numbers abelian.unique_number';
COMMENT ON FUNCTION draw(unique_id) IS 'a number that nobody else has or will have: UPDATE ... SET c = abelian.draw(c) ... RETURNING c';
-- ==== end of types ==================================================================================

-- ==== locks =========================================================================================
-- Where a backend waits for an abstract lock, by what pg_locks shows of it: objsubid, and classid and objid together.
CREATE FUNCTION waiting_at(pid integer, class integer, object bigint, OUT relation oid, OUT attribute smallint, OUT "row" tid, OUT object bigint)
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_waiting_at';
CREATE FUNCTION object_column(relation oid, "row" tid, object bigint) RETURNS smallint LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_column';
CREATE FUNCTION row_key(relation oid, "row" tid) RETURNS text LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_row_key';

-- What a lock is for, in words; the classes are those of src/lock.
CREATE FUNCTION lock_operation(locktype text, class integer, mode text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN class IN (11001, 11002, 11003) AND locktype = 'advisory' THEN
    CASE mode WHEN 'RowShareLock' THEN 'read in part' WHEN 'RowExclusiveLock' THEN 'add' WHEN 'ShareLock' THEN 'read' WHEN 'ExclusiveLock' THEN 'overwrite' ELSE mode END
  WHEN locktype = 'tuple' THEN
    CASE mode WHEN 'AccessShareLock' THEN 'FOR KEY SHARE' WHEN 'RowShareLock' THEN 'FOR SHARE' WHEN 'ExclusiveLock' THEN 'FOR NO KEY UPDATE' WHEN 'AccessExclusiveLock' THEN 'FOR UPDATE' ELSE mode END
  WHEN locktype = 'transactionid' THEN NULL
  ELSE mode
END;

CREATE OR REPLACE VIEW locks AS
    SELECT l.pid, p.relation::regclass AS "table",
           (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = p.relation AND a.attnum = p.attribute) AS "column",
           l.object, CASE l.class WHEN 11001 THEN 'value' WHEN 11002 THEN 'row' ELSE 'element' END AS part,
           abelian.lock_operation('advisory', l.class, l.mode) AS operation,
           l.granted, l.waitstart,
           CASE WHEN l.granted THEN '{}' ELSE pg_catalog.pg_blocking_pids(l.pid) END AS blocked_by,
           a.query
    FROM (SELECT pid, mode, granted, waitstart, objsubid AS class, (classid::bigint << 32) | objid::bigint AS object
          FROM pg_catalog.pg_locks
          WHERE locktype = 'advisory' AND objsubid IN (11001, 11002, 11003)
            AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) l
         CROSS JOIN LATERAL abelian.object_place(l.object) p
         LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);

CREATE VIEW waits AS
WITH lock AS MATERIALIZED (
       SELECT *, classid::bigint << 32 | objid::bigint AS object FROM pg_catalog.pg_locks
     ),
     -- The row itself is locked by whoever waits for the transaction that is at it.
     at_row AS (
       SELECT DISTINCT ON (pid) * FROM lock WHERE locktype = 'tuple' AND granted ORDER BY pid, relation, page, tuple
     ),
     waiting AS MATERIALIZED (
       SELECT w.pid, w.waitstart, w.locktype, w.objsubid AS class, w.relation AS locked_relation, a.query,
              coalesce(w.relation, o.relation, p.relation, t.relation) AS relation, coalesce(o.attribute, abelian.object_column(o.relation, o."row", o.object), p.attribute) AS attribute,
              CASE WHEN w.tuple IS NOT NULL THEN format('(%s,%s)', w.page, w.tuple)::tid
                   WHEN t.tuple IS NOT NULL THEN format('(%s,%s)', t.page, t.tuple)::tid
                   ELSE o."row" END AS "row",
              coalesce(abelian.lock_operation(w.locktype, w.objsubid::integer, w.mode), abelian.lock_operation('tuple', 0, t.mode)) AS operation,
              w.database, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid, pg_catalog.pg_blocking_pids(w.pid) AS blockers
         FROM lock w
         JOIN pg_catalog.pg_stat_activity a ON a.pid = w.pid AND a.datname = pg_catalog.current_database()
         LEFT JOIN LATERAL abelian.waiting_at(w.pid, w.objsubid::integer, w.object) o ON w.locktype = 'advisory' AND w.objsubid > 11000
         LEFT JOIN LATERAL abelian.object_place(w.object) p ON w.locktype = 'advisory' AND w.objsubid IN (11001, 11002)
         LEFT JOIN at_row t ON t.pid = w.pid AND w.locktype = 'transactionid'
        WHERE NOT w.granted
     )
SELECT w.pid, pg_catalog.clock_timestamp() - w.waitstart AS waiting,
       w.relation::regclass AS "table",
       (SELECT c.attname FROM pg_catalog.pg_attribute c WHERE c.attrelid = w.relation AND c.attnum = w.attribute) AS "column",
       w."row", abelian.row_key(w.relation, w."row") AS key,
       CASE WHEN w.locktype = 'advisory' AND w.class = 11001 THEN 'value'
            WHEN w.locktype = 'advisory' AND w.class = 11002 THEN 'plain columns'
            WHEN w.locktype = 'advisory' AND w.class = 11003 THEN 'element'
            WHEN w."row" IS NOT NULL THEN 'row'
            WHEN w.locktype = 'relation' THEN 'table'
            ELSE w.locktype END AS part,
       w.operation, w.query AS statement,
       b.pid AS blocked_by, b.prepared,
       b.operation AS blocker_operation, NOT b.granted AS blocker_waits, a.state AS blocker_state, a.query AS blocker_statement
  FROM waiting w
 CROSS JOIN LATERAL (
         SELECT DISTINCT ON (h.pid, h.virtualtransaction) h.pid, h.granted,
                abelian.lock_operation(h.locktype, h.objsubid::integer, h.mode) AS operation,
                (SELECT x.gid FROM lock o JOIN pg_catalog.pg_prepared_xacts x ON x.transaction = o.transactionid
                  WHERE h.pid IS NULL AND o.pid IS NULL AND o.locktype = 'transactionid' AND o.virtualtransaction = h.virtualtransaction) AS prepared
           FROM lock h
          WHERE (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, h.transactionid, h.classid, h.objid, h.objsubid)
                IS NOT DISTINCT FROM (w.locktype, w.database, w.locked_relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
            AND coalesce(h.pid, 0) = ANY (w.blockers)
          -- The strongest of its locks: the modes are named in ascending order.
          ORDER BY h.pid, h.virtualtransaction, h.granted DESC,
                   array_position('{AccessShareLock,RowShareLock,RowExclusiveLock,ShareUpdateExclusiveLock,ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::text[], h.mode) DESC
       ) b
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid;
COMMENT ON VIEW waits IS 'who waits for whom, for what and since when: one row for each pair';
GRANT SELECT ON waits TO PUBLIC;
-- ==== end of locks ==================================================================================

-- ==== combining =====================================================================================
-- Marks an operand that stands for several: an error, unless planning has removed it. See docs/design/combining.md.
CREATE FUNCTION combined(bigint) RETURNS bigint LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_combined';
CREATE FUNCTION combined(numeric) RETURNS numeric LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_combined';
-- ==== end of combining ==============================================================================

-- ==== distributed procedures ========================================================================
-- A procedure or function that each participant runs on the rows it has. The same rows stand on every node.

CREATE TABLE abelian.procedure (
  signature text PRIMARY KEY,         -- as regprocedure prints it with an empty search path
  arguments integer[] NOT NULL,       -- positions, from 1, of the arguments that name keys; none: it concerns all nodes
  colocated_with regclass NOT NULL,   -- the table whose placement says which node has a key
  merge text NOT NULL CHECK (merge IN ('first', 'sum', 'union')),
  class text NOT NULL CHECK (class IN ('independent', 'coordinated')), -- what its calls may take
  stopped text NOT NULL DEFAULT '',   -- why nobody may call it any more
  declared text NOT NULL DEFAULT 'analysed' CHECK (declared IN ('analysed', 'safer', 'unsafe')) -- where the class comes from
);
GRANT SELECT ON abelian.procedure TO PUBLIC;

-- The distributed procedure of that name, its own check of ownership included.
CREATE FUNCTION abelian.claim_procedure(procedure text) RETURNS regprocedure
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claimed regprocedure := procedure::regprocedure;
BEGIN
  IF NOT pg_has_role(session_user, (SELECT p.proowner FROM pg_proc p WHERE p.oid = claimed), 'USAGE') THEN
    RAISE EXCEPTION 'must be owner of %', claimed USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN claimed;
END $$;

-- The positions among the input arguments of those that the list names, by name or as $n.
CREATE FUNCTION abelian.key_arguments(procedure regprocedure, names text) RETURNS integer[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  inputs text[];
  name text;
  place integer;
  places integer[] := '{}';
BEGIN
  SELECT coalesce(array_agg(coalesce(p.proargnames[a.n], '') ORDER BY a.n), '{}') INTO inputs
    FROM pg_proc p, generate_series(1, coalesce(array_length(p.proallargtypes, 1), p.pronargs)) AS a(n)
   WHERE p.oid = procedure AND coalesce(p.proargmodes[a.n], 'i') IN ('i', 'b', 'v');
  FOR name IN SELECT trim(part) FROM string_to_table(names, ',') AS part WHERE trim(part) <> '' LOOP
    place := CASE WHEN name ~ '^\$[0-9]{1,4}$' THEN substr(name, 2)::integer ELSE array_position(inputs, name) END;
    IF place IS NULL OR place NOT BETWEEN 1 AND coalesce(array_length(inputs, 1), 0) THEN
      RAISE EXCEPTION 'procedure % has no argument "%"', procedure, name
        USING ERRCODE = 'undefined_parameter', HINT = 'Name input arguments, or give their positions as $1, $2.';
    END IF;
    places := places || place;
  END LOOP;
  RETURN places;
END $$;

-- What the analysis of the stored body says: the commit class, and why, one line each.
CREATE FUNCTION abelian.class_of_body(procedure regprocedure) RETURNS text
LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'abelian_class_of_body';
CREATE FUNCTION abelian.explain_body(procedure regprocedure) RETURNS text
LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'abelian_explain_body';
CREATE FUNCTION abelian.explain_procedure(procedure text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT pg_catalog.string_to_table(abelian.explain_body(procedure::pg_catalog.regprocedure), E'\n')
$$;

CREATE FUNCTION abelian.place_procedure(procedure regprocedure, arguments integer[], colocated_with regclass, merge text, class text, analysed text, unsafe boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  described pg_proc;
  kind text;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_procedure(procedure::text);
  SELECT * INTO described FROM pg_proc p WHERE p.oid = procedure;
  IF described.prolang NOT IN (SELECT l.oid FROM pg_language l WHERE l.lanname IN ('sql', 'plpgsql')) THEN
    RAISE EXCEPTION '% is neither in SQL nor in PL/pgSQL', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF described.prokind NOT IN ('f', 'p') OR described.provariadic <> 0 OR described.prorettype = 'trigger'::regtype THEN
    RAISE EXCEPTION '% cannot be distributed', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Procedures and ordinary functions without VARIADIC arguments can.';
  ELSIF described.provolatile = 'i' THEN
    RAISE EXCEPTION '% is immutable: it reads no tables, so that every node can answer it', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Call it as it is.';
  ELSIF described.prosecdef OR described.proconfig IS NOT NULL THEN
    RAISE EXCEPTION '% is SECURITY DEFINER or has settings of its own', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF merge NOT IN ('first', 'sum', 'union') THEN
    RAISE EXCEPTION 'unknown rule "%" to merge results', merge
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The rules are first, sum and union.';
  END IF;
  SELECT g.key_type INTO kind FROM abelian.placement p JOIN abelian.colocation g USING (colocation_id) WHERE p.relation = colocated_with;
  IF kind IS NULL THEN
    RAISE EXCEPTION 'table % is not distributed', colocated_with
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Distribute it first.';
  END IF;
  IF class NOT IN ('analysed', 'independent', 'coordinated') THEN
    RAISE EXCEPTION 'unknown class "%"', class
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The classes are independent and coordinated.';
  ELSIF class = 'independent' AND analysed <> class AND NOT unsafe THEN
    RAISE EXCEPTION 'the analysis says that % is %, not %', procedure, analysed, class
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = format('SELECT abelian.explain_procedure(%L) says why; unsafe => true takes your word for it.', procedure);
  END IF;
  DELETE FROM abelian.procedure p WHERE p.signature = procedure::text;
  INSERT INTO abelian.procedure (signature, arguments, colocated_with, merge, class, declared)
  VALUES (procedure::text, arguments, colocated_with, merge, CASE class WHEN 'analysed' THEN analysed ELSE class END,
          CASE WHEN class IN ('analysed', analysed) THEN 'analysed' WHEN class = 'coordinated' THEN 'safer' ELSE 'unsafe' END);
END $$;

CREATE FUNCTION pg_catalog.create_distributed_procedure(procedure text, distribution_arguments text, colocate_with regclass,
                                                        merge text DEFAULT 'first', class text DEFAULT 'analysed',
                                                        unsafe boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.place_procedure(procedure::regprocedure, abelian.key_arguments(procedure::regprocedure, distribution_arguments), colocate_with, merge, class,
    abelian.class_of_body(procedure::regprocedure), unsafe); -- names in the body are looked up as the caller does
END $$;

CREATE FUNCTION abelian.remove_procedure(procedure regprocedure) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_procedure(procedure::text);
  DELETE FROM abelian.procedure p WHERE p.signature = procedure::text;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not distributed', procedure USING ERRCODE = 'undefined_object';
  END IF;
END $$;

CREATE FUNCTION pg_catalog.undistribute_procedure(procedure text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.remove_procedure(procedure::regprocedure);
END $$;

-- Inside a distributed procedure: whether this node has the rows of that key. Elsewhere true.
CREATE FUNCTION abelian.is_local(relation regclass, key anyelement) RETURNS boolean
LANGUAGE c STABLE STRICT AS 'MODULE_PATHNAME', 'abelian_is_local';

-- For guards: a procedure that broke its promise is not called any more, until it is declared again.
CREATE FUNCTION abelian.stop_procedure(signature text, reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.begin_placement_change();
  UPDATE abelian.procedure p SET stopped = reason WHERE p.signature = stop_procedure.signature;
END $$;

-- The procedures belong to what a new node is given; they must exist there.
CREATE OR REPLACE FUNCTION abelian.catalog() RETURNS json LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT json_build_object(
    'version', version, 'next_node_id', next_node_id, 'next_colocation_id', next_colocation_id,
    'nodes', coalesce((SELECT json_agg(json_build_object('id', node_id, 'host', host, 'port', port) ORDER BY node_id)
                         FROM abelian.node), '[]'),
    'tables', coalesce((
      SELECT json_agg(json_build_object('schema', n.nspname, 'name', c.relname, 'method', p.method, 'column', p.column_name,
                                        'key_type', g.key_type, 'colocation', p.colocation_id) ORDER BY n.nspname, c.relname)
        FROM abelian.placement p JOIN pg_class c ON c.oid = p.relation JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN abelian.colocation g USING (colocation_id)), '[]'),
    'colocations', coalesce((
      SELECT json_agg(json_build_object('id', g.colocation_id, 'partition_count', g.partition_count,
               'key_type', g.key_type, 'default', g.is_default, 'nodes',
               (SELECT json_agg(p.node_id ORDER BY p.partition) FROM abelian.partition p WHERE p.colocation_id = g.colocation_id))
             ORDER BY g.colocation_id)
        FROM abelian.colocation g), '[]'),
    'procedures', coalesce((SELECT json_agg(to_json(p) ORDER BY p.signature) FROM abelian.procedure p), '[]'))
  FROM abelian.cluster
$$;

CREATE OR REPLACE FUNCTION abelian.install_catalog(catalog json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.placement) OR EXISTS (SELECT FROM abelian.node) THEN
    RAISE EXCEPTION 'this node already belongs to a cluster' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  UPDATE abelian.cluster SET
    version = (catalog->>'version')::bigint,
    next_node_id = (catalog->>'next_node_id')::integer,
    next_colocation_id = (catalog->>'next_colocation_id')::integer;
  INSERT INTO abelian.node SELECT (n->>'id')::integer, n->>'host', (n->>'port')::integer FROM json_array_elements(catalog->'nodes') n;
  INSERT INTO abelian.colocation
    SELECT (g->>'id')::integer, (g->>'partition_count')::integer, g->>'key_type', (g->>'default')::boolean
      FROM json_array_elements(catalog->'colocations') g;
  INSERT INTO abelian.partition
    SELECT (g->>'id')::integer, p.ordinality - 1, p.value::text::integer
      FROM json_array_elements(catalog->'colocations') g, json_array_elements(g->'nodes') WITH ORDINALITY p;
  INSERT INTO abelian.placement
    SELECT format('%I.%I', t->>'schema', t->>'name')::regclass, t->>'method', t->>'column', (t->>'colocation')::integer
      FROM json_array_elements(catalog->'tables') t;
  INSERT INTO abelian.procedure SELECT p.* FROM json_populate_recordset(NULL::abelian.procedure, coalesce(catalog->'procedures', '[]')) p;
END $$;

REVOKE ALL ON FUNCTION abelian.claim_procedure(text), abelian.stop_procedure(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.stop_procedure(text, text) TO abelian_router;

-- A distributed procedure that is replaced, or loses its name, is another one for routers.
CREATE FUNCTION abelian.follow_procedures() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  IF tg_event = 'sql_drop' THEN
    DELETE FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL OR to_regclass(p.colocated_with::text) IS NULL;
    RETURN;
  END IF;
  SELECT p.signature INTO lost FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL;
  IF FOUND THEN
    RAISE EXCEPTION 'distributed procedure % cannot get another name or schema', lost
      USING ERRCODE = 'feature_not_supported', HINT = 'Call undistribute_procedure() first.';
  END IF;
  IF abelian.is_router() AND EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c JOIN abelian.procedure p ON to_regprocedure(p.signature)::oid = c.objid
     WHERE c.classid = 'pg_proc'::regclass) THEN
    PERFORM abelian.begin_placement_change();
  END IF;
END $$;
-- A new body has the class that its analysis says, whatever was promised of the old one. The names in it are looked up as the user does,
-- hence with the user's search path and rights.
CREATE FUNCTION abelian.analyse_replaced() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
  replaced pg_catalog.oid;
BEGIN
  FOR replaced IN
    SELECT c.objid FROM pg_catalog.pg_event_trigger_ddl_commands() c JOIN abelian.procedure p
        ON pg_catalog.to_regprocedure(p.signature)::pg_catalog.oid = c.objid
     WHERE c.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  LOOP
    PERFORM abelian.reclassify(replaced::pg_catalog.regprocedure, abelian.class_of_body(replaced::pg_catalog.regprocedure));
  END LOOP;
END $$;
CREATE FUNCTION abelian.reclassify(procedure regprocedure, analysed text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.claim_procedure(procedure::text);
  UPDATE abelian.procedure p SET class = analysed, declared = 'analysed', stopped = ''
   WHERE p.signature = procedure::text AND p.declared <> 'safer';
END $$;
CREATE EVENT TRIGGER abelian_analyse_replaced ON ddl_command_end WHEN TAG IN ('CREATE FUNCTION', 'CREATE PROCEDURE')
  EXECUTE FUNCTION abelian.analyse_replaced();

CREATE EVENT TRIGGER abelian_follow_dropped_procedures ON sql_drop
  WHEN TAG IN ('DROP FUNCTION', 'DROP PROCEDURE', 'DROP ROUTINE', 'DROP SCHEMA', 'DROP TABLE', 'DROP OWNED', 'DROP TYPE')
  EXECUTE FUNCTION abelian.follow_procedures();
CREATE EVENT TRIGGER abelian_follow_changed_procedures ON ddl_command_end
  WHEN TAG IN ('CREATE FUNCTION', 'CREATE PROCEDURE', 'ALTER FUNCTION', 'ALTER PROCEDURE', 'ALTER ROUTINE', 'ALTER SCHEMA', 'ALTER TYPE')
  EXECUTE FUNCTION abelian.follow_procedures();
-- ==== end of distributed procedures =================================================================

-- ==== commit classes ================================================================================

-- Transactions of the commuting class (docs/protocols/commuting.md): a row on each node on which such a transaction has
-- committed, with all of its work, so that any node's row is enough to complete the others; committed = false bars a transaction
-- whose coordinator gave it up on this node.
CREATE TABLE abelian.intent (
  router uuid NOT NULL,
  number bigint NOT NULL,
  committed boolean NOT NULL,
  nodes integer[] NOT NULL,
  role name NOT NULL,
  work text,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT intent_pkey PRIMARY KEY (router, number)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000); -- rows live for less than a second

-- Transactions of a router with numbers smaller than `below` are over: committed everywhere or nowhere. Their rows are gone, none
-- may come. No session commits one smaller than `closed` any more, be its router alive.
CREATE TABLE abelian.intent_horizon (
  router uuid CONSTRAINT intent_horizon_pkey PRIMARY KEY,
  below bigint NOT NULL,
  closed bigint NOT NULL,
  CONSTRAINT intent_horizon_order CHECK (below <= closed)
);

-- Refuses a row that may not come any more. Called after its insertion: a horizon that its removal came with is visible then.
CREATE FUNCTION abelian.check_intent_horizon(router uuid, number bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.intent_horizon h
              WHERE h.router = check_intent_horizon.router
                AND check_intent_horizon.number < h.below) THEN
    RAISE EXCEPTION 'the transaction is over' USING ERRCODE = 'serialization_failure', CONSTRAINT = 'intent_pkey';
  END IF;
END $$;

-- In each participant's transaction, just before its COMMIT: unique_violation when somebody has completed or barred it already.
CREATE FUNCTION abelian.commit_intent(router uuid, number bigint, nodes integer[], work text) RETURNS void
LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_commit_intent';

-- Bars the transaction on this node unless it has committed here; waits for a commit that is under way. True when it is committed.
CREATE FUNCTION abelian.bar_intent(router uuid, number bigint, nodes integer[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stands boolean;
BEGIN
  INSERT INTO abelian.intent AS i (router, number, committed, nodes, role)
  VALUES (bar_intent.router, bar_intent.number, false, bar_intent.nodes, session_user) ON CONFLICT DO NOTHING;
  PERFORM abelian.check_intent_horizon(router, number);
  SELECT i.committed INTO STRICT stands FROM abelian.intent i
   WHERE i.router = bar_intent.router AND i.number = bar_intent.number;
  RETURN stands;
END $$;

-- One operation of an intent: {"sql": text, "types": [oid, ...], "values": [text or null, ...]}. A row that has been deleted since is
-- no error: the operation came before.
CREATE FUNCTION abelian.redo_operation(operation jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  types text;
  arguments text;
BEGIN
  SELECT string_agg(format_type(t::oid, NULL), ', ' ORDER BY n) INTO types
    FROM jsonb_array_elements_text(operation -> 'types') WITH ORDINALITY AS e(t, n);
  SELECT string_agg(quote_nullable(v), ', ' ORDER BY n) INTO arguments
    FROM jsonb_array_elements_text(operation -> 'values') WITH ORDINALITY AS e(v, n);
  IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'abelian_redo') THEN
    DEALLOCATE abelian_redo; -- an error left it
  END IF;
  EXECUTE format('PREPARE abelian_redo %s AS %s', '(' || types || ')', operation ->> 'sql');
  EXECUTE 'EXECUTE abelian_redo' || coalesce(' (' || arguments || ')', '');
  DEALLOCATE abelian_redo;
EXCEPTION WHEN undefined_table OR undefined_column THEN
  NULL; -- dropped since: as if the drop came after
END $$;

-- Completes a transaction of which another node has the intent: does this node's part once, as the role that wrote it. True when
-- this call did it.
CREATE FUNCTION abelian.apply_intent(node integer, router uuid, number bigint, nodes integer[], role name, work text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  operation jsonb;
  caller text := current_setting('role');
BEGIN
  PERFORM abelian.enter_commit_gate();
  INSERT INTO abelian.intent AS i (router, number, committed, nodes, role, work)
  VALUES (apply_intent.router, apply_intent.number, true, apply_intent.nodes, apply_intent.role, apply_intent.work)
  ON CONFLICT ON CONSTRAINT intent_pkey DO UPDATE
    SET committed = true, nodes = excluded.nodes, role = excluded.role, work = excluded.work WHERE NOT i.committed;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM abelian.check_intent_horizon(router, number);
  PERFORM set_config('role', apply_intent.role, true);
  FOR operation IN SELECT jsonb_array_elements(coalesce(work::jsonb -> node::text, '[]')) LOOP
    PERFORM abelian.redo_operation(operation);
  END LOOP;
  PERFORM set_config('role', caller, true);
  RETURN true;
END $$;

-- A router's transactions below that number are over on every node.
CREATE FUNCTION abelian.forget_intents(router uuid, below bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone bigint;
BEGIN
  INSERT INTO abelian.intent_horizon AS h (router, below, closed)
  VALUES (forget_intents.router, forget_intents.below, forget_intents.below)
  ON CONFLICT ON CONSTRAINT intent_horizon_pkey DO UPDATE
    SET below = greatest(h.below, excluded.below), closed = greatest(h.closed, excluded.below);
  DELETE FROM abelian.intent i WHERE i.router = forget_intents.router AND i.number < forget_intents.below;
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- No session of that router, should it be alive after all, commits a transaction with a smaller number here from now on; those that
-- are at it have ended when this returns.
CREATE FUNCTION abelian.close_intents(router uuid, below bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.enter_snapshot_gate();
  INSERT INTO abelian.intent_horizon AS h (router, below, closed) VALUES (close_intents.router, 0, close_intents.below)
  ON CONFLICT ON CONSTRAINT intent_horizon_pkey DO UPDATE SET closed = greatest(h.closed, excluded.closed);
END $$;

-- For a read that holds the snapshot side of the gate: which transactions have committed here and may be missing on another of
-- the nodes, as `router/number/node,node...`. Of its own router it knows better from which number on.
CREATE FUNCTION abelian.visible_intents(nodes integer[], own uuid, own_below bigint) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(i.router || '/' || i.number || '/' || array_to_string(i.nodes, ','), ' ')
    FROM abelian.intent i
   WHERE i.committed AND i.nodes && visible_intents.nodes AND cardinality(i.nodes) > 1
     AND (i.router <> own OR i.number >= own_below)
$$;

REVOKE ALL ON TABLE abelian.intent, abelian.intent_horizon FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON abelian.intent, abelian.intent_horizon TO abelian_router;
GRANT EXECUTE ON FUNCTION abelian.enter_commit_gate(), abelian.enter_snapshot_gate() TO abelian_router;
REVOKE ALL ON FUNCTION abelian.check_intent_horizon(uuid, bigint), abelian.bar_intent(uuid, bigint, integer[]), abelian.redo_operation(jsonb),
  abelian.apply_intent(integer, uuid, bigint, integer[], name, text), abelian.forget_intents(uuid, bigint), abelian.close_intents(uuid, bigint),
  abelian.visible_intents(integer[], uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.check_intent_horizon(uuid, bigint), abelian.bar_intent(uuid, bigint, integer[]),
  abelian.apply_intent(integer, uuid, bigint, integer[], name, text), abelian.forget_intents(uuid, bigint), abelian.close_intents(uuid, bigint),
  abelian.visible_intents(integer[], uuid, bigint) TO abelian_router;
-- Runs with the rights of the role whose operation it is.
GRANT EXECUTE ON FUNCTION abelian.redo_operation(jsonb) TO PUBLIC;


-- ---- independent transactions (docs/protocols/independent.md)

-- What this node has executed. Written by the transaction that executed it, deleted when every participant has it on disk.
CREATE TABLE abelian.independent_record (
  id text COLLATE "C" PRIMARY KEY,
  at bigint NOT NULL,
  participants integer[] NOT NULL,
  intent text NOT NULL,
  role name NOT NULL,
  failure text,
  executed_at timestamptz NOT NULL DEFAULT clock_timestamp());
COMMENT ON TABLE abelian.independent_record IS 'fragments of independent transactions that this node has executed';

-- Counts the starts of the server that closed the lane (0: never used), and how far the lane is.
CREATE TABLE abelian.independent_lane (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  run bigint NOT NULL DEFAULT 0,
  at bigint NOT NULL DEFAULT 0,
  id text COLLATE "C" NOT NULL DEFAULT '') WITH (fillfactor = 20);
INSERT INTO abelian.independent_lane DEFAULT VALUES;
GRANT SELECT ON abelian.independent_lane TO PUBLIC;
GRANT SELECT ON abelian.independent_record TO abelian_router;

CREATE FUNCTION abelian.independent_state() RETURNS bigint[] LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_state';
CREATE FUNCTION abelian.independent_propose(id text, self integer, nodes integer[], runs bigint[], horizon bigint) RETURNS bigint
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_propose';
CREATE FUNCTION abelian.independent_flush() RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_flush';
CREATE FUNCTION abelian.independent_turn(id text, at bigint) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_turn';
CREATE FUNCTION abelian.independent_completable(id text, at bigint) RETURNS boolean LANGUAGE c STRICT
  AS 'MODULE_PATHNAME', 'abelian_independent_completable';
CREATE FUNCTION abelian.independent_stop(id text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_stop';
CREATE FUNCTION abelian.independent_cancel(id text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_cancel';
CREATE FUNCTION abelian.independent_pending(milliseconds bigint) RETURNS text[] LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_pending';
CREATE FUNCTION abelian.independent_fence(node integer, run bigint) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_fence';
CREATE FUNCTION abelian.independent_begin_run(run bigint) RETURNS bigint LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_begin_run';
CREATE FUNCTION abelian.independent_is_closed(run bigint) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_is_closed';
CREATE FUNCTION abelian.independent_open_lane(run bigint, last bigint) RETURNS boolean LANGUAGE c STRICT
  AS 'MODULE_PATHNAME', 'abelian_independent_open_lane';

-- A fragment's place in the order, its record and the watermark, in the transaction that goes on to run the intent. The role is the
-- one that runs it; recovery runs it as the same, hence the check.
CREATE FUNCTION abelian.independent_execute(id text, at bigint, nodes integer[], intent text, role name) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, role, 'MEMBER') THEN
    RAISE EXCEPTION 'permission denied to run an independent transaction as %', role USING ERRCODE = 'insufficient_privilege';
  ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'an independent transaction runs at READ COMMITTED' USING ERRCODE = 'feature_not_supported';
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM abelian.independent_turn(id, at);
  INSERT INTO abelian.independent_record (id, at, participants, intent, role) VALUES (id, at, nodes, intent, role);
  UPDATE abelian.independent_lane l SET at = independent_execute.at, id = independent_execute.id;
END $$;

-- The same for what another participant has executed: false when there is nothing to do. With a failure, nothing is run after it.
CREATE FUNCTION abelian.independent_complete(id text, at bigint, nodes integer[], intent text, role name, failure text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.independent_lane l WHERE (l.at, l.id) >= (independent_complete.at, independent_complete.id))
     OR NOT abelian.independent_completable(id, at) THEN
    RETURN false;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM abelian.independent_turn(id, at);
  INSERT INTO abelian.independent_record (id, at, participants, intent, role, failure) VALUES (id, at, nodes, intent, role, failure);
  UPDATE abelian.independent_lane l SET at = independent_complete.at, id = independent_complete.id;
  RETURN true;
END $$;

-- Keeps it from being executed by its router; the record if it has been.
CREATE FUNCTION abelian.independent_freeze(id text) RETURNS SETOF abelian.independent_record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.independent_stop(id);
  RETURN QUERY SELECT r.* FROM abelian.independent_record r WHERE r.id = independent_freeze.id;
END $$;

-- Ends the sessions that a fragment has been waiting for, for so long: everything behind it waits with it. Prepared transactions are
-- not among them, since nothing is pending beside them.
CREATE FUNCTION abelian.independent_executing() RETURNS integer[] LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_executing';
CREATE FUNCTION abelian.independent_unblock(waiting_for interval) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FILTER (WHERE pg_terminate_backend(b.pid))
    FROM unnest(abelian.independent_executing()) fragment(pid)
    JOIN pg_stat_activity a ON a.pid = fragment.pid AND a.wait_event_type = 'Lock' AND a.query_start < clock_timestamp() - waiting_for,
         unnest(pg_blocking_pids(a.pid)) b(pid)
   WHERE b.pid <> 0
$$;

-- A number for a run of the lane; to be on disk before it is used.
CREATE FUNCTION abelian.independent_next_run() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  UPDATE abelian.independent_lane l SET run = l.run + 1 RETURNING l.run INTO STRICT number;
  RETURN number;
END $$;

-- What a peer that catches up lacks; fences off its earlier runs.
CREATE FUNCTION abelian.independent_executed(node integer, run bigint, after_at bigint, after_id text) RETURNS SETOF abelian.independent_record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.independent_fence(node, run);
  RETURN QUERY SELECT r.* FROM abelian.independent_record r
    WHERE node = ANY (r.participants) AND (r.at, r.id) > (after_at, after_id COLLATE "C") ORDER BY r.at, r.id;
END $$;

-- A fragment that this node lost, before its lane is open; false when it has it.
CREATE FUNCTION abelian.independent_catch_up(run bigint, id text, at bigint, nodes integer[], intent text, role name, failure text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  LOCK TABLE abelian.independent_lane IN EXCLUSIVE MODE; -- one router at a time
  IF NOT abelian.independent_is_closed(run) THEN
    RAISE EXCEPTION 'the lane is open, or catches up for another run' USING ERRCODE = 'serialization_failure';
  ELSIF EXISTS (SELECT FROM abelian.independent_lane l WHERE (l.at, l.id) >= (independent_catch_up.at, independent_catch_up.id)) THEN
    RETURN false;
  END IF;
  INSERT INTO abelian.independent_record (id, at, participants, intent, role, failure) VALUES (id, at, nodes, intent, role, failure);
  UPDATE abelian.independent_lane l SET at = independent_catch_up.at, id = independent_catch_up.id;
  RETURN true;
END $$;

-- Everything that peers have executed is executed here: proposals are accepted. False when the run is over.
CREATE FUNCTION abelian.independent_open(run bigint) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT abelian.independent_open_lane(independent_open.run, l.at) FROM abelian.independent_lane l
$$;

-- Records of what every participant has on disk, as their router knows.
CREATE FUNCTION abelian.independent_forget(ids text[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (DELETE FROM abelian.independent_record r WHERE r.id = ANY (ids) RETURNING 1) SELECT count(*) FROM gone
$$;

-- Records that dead routers left, when the lanes of all participants have passed them. The caller lists how far the lanes are on disk.
CREATE FUNCTION abelian.independent_sweep(older_than interval, nodes integer[], ats bigint[], ids text[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM abelian.independent_record r
     WHERE r.executed_at < clock_timestamp() - older_than
       AND NOT EXISTS (
         SELECT FROM unnest(r.participants) p(node) LEFT JOIN unnest(nodes, ats, ids) lane(node, at, id) USING (node)
          WHERE lane.at IS NULL OR (lane.at, lane.id COLLATE "C") < (r.at, r.id))
    RETURNING 1)
  SELECT count(*) FROM gone
$$;

REVOKE ALL ON FUNCTION abelian.independent_executing(), abelian.independent_unblock(interval), abelian.independent_turn(text, bigint), abelian.independent_completable(text, bigint), abelian.independent_stop(text),
  abelian.independent_cancel(text), abelian.independent_pending(bigint), abelian.independent_fence(integer, bigint),
  abelian.independent_begin_run(bigint), abelian.independent_is_closed(bigint), abelian.independent_open_lane(bigint, bigint),
  abelian.independent_complete(text, bigint, integer[], text, name, text), abelian.independent_freeze(text), abelian.independent_next_run(),
  abelian.independent_executed(integer, bigint, bigint, text), abelian.independent_open(bigint), abelian.independent_forget(text[]),
  abelian.independent_catch_up(bigint, text, bigint, integer[], text, name, text),
  abelian.independent_sweep(interval, integer[], bigint[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.independent_unblock(interval), abelian.independent_cancel(text), abelian.independent_pending(bigint), abelian.independent_begin_run(bigint),
  abelian.independent_complete(text, bigint, integer[], text, name, text), abelian.independent_freeze(text), abelian.independent_next_run(),
  abelian.independent_executed(integer, bigint, bigint, text), abelian.independent_open(bigint), abelian.independent_forget(text[]),
  abelian.independent_catch_up(bigint, text, bigint, integer[], text, name, text),
  abelian.independent_sweep(interval, integer[], bigint[], text[]) TO abelian_router;
-- ==== end of commit classes =========================================================================
