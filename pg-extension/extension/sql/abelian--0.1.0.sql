-- The objects of extension abelian 0.1.0. Each room has its section between banners.
\echo Use "CREATE EXTENSION abelian" to load this file. \quit

-- ==== types, objects, locks =========================================================================
GRANT USAGE ON SCHEMA abelian TO PUBLIC;

CREATE SEQUENCE object_id AS bigint MAXVALUE 281474976710655 CACHE 32; -- 48 bits

CREATE TABLE slice (
    object    bigint   NOT NULL,
    slot      integer  NOT NULL,
    relation  oid      NOT NULL,
    attribute smallint NOT NULL,
    delta     bigint,
    amount    numeric
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200,
        autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX slice_key ON slice (object, slot);
-- Rows that others than the library store: a restore, a subscription.
CREATE FUNCTION slice_stored() RETURNS trigger LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_slice_stored';
CREATE TRIGGER slice_stored AFTER INSERT OR UPDATE ON slice FOR EACH ROW EXECUTE FUNCTION slice_stored();
ALTER TABLE slice ENABLE ALWAYS TRIGGER slice_stored;
COMMENT ON TABLE slice IS 'parts of split objects: the value is the base in the row plus all slices';

CREATE TYPE counter;
CREATE FUNCTION counter_in(cstring)   RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_in';
CREATE FUNCTION counter_out(counter)  RETURNS cstring LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_out';
CREATE FUNCTION counter_recv(internal) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_recv';
CREATE FUNCTION counter_send(counter) RETURNS bytea   LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_send';
CREATE TYPE counter (
    INPUT = counter_in, OUTPUT = counter_out, RECEIVE = counter_recv, SEND = counter_send,
    INTERNALLENGTH = 16, ALIGNMENT = double, STORAGE = plain, CATEGORY = 'N'
);
COMMENT ON TYPE counter IS 'bigint whose additions commute';

CREATE FUNCTION counter(smallint) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int2';
CREATE FUNCTION counter(integer)  RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int4';
CREATE FUNCTION counter(bigint)   RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int8';
CREATE FUNCTION counter(numeric)  RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_numeric';
CREATE FUNCTION counter(double precision) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_float8';
CREATE FUNCTION counter_value(counter) RETURNS bigint LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_value';
CREATE CAST (smallint AS counter) WITH FUNCTION counter(smallint) AS IMPLICIT;
CREATE CAST (integer AS counter) WITH FUNCTION counter(integer) AS IMPLICIT;
CREATE CAST (bigint AS counter) WITH FUNCTION counter(bigint) AS IMPLICIT;
CREATE CAST (numeric AS counter) WITH FUNCTION counter(numeric) AS ASSIGNMENT;
CREATE CAST (double precision AS counter) WITH FUNCTION counter(double precision) AS ASSIGNMENT;
CREATE CAST (counter AS bigint) WITH FUNCTION counter_value(counter) AS IMPLICIT;

CREATE FUNCTION counter_newest_value(counter) RETURNS bigint LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_newest_value';
CREATE FUNCTION counter_add(counter, bigint) RETURNS counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_add';
CREATE FUNCTION counter_subtract(counter, bigint) RETURNS counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_subtract';
CREATE FUNCTION counter_copy(counter) RETURNS counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_copy';
CREATE FUNCTION counter_object(counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_object';

CREATE TYPE decimal_counter;
CREATE FUNCTION decimal_counter_in(cstring)    RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_in';
CREATE FUNCTION decimal_counter_out(decimal_counter)  RETURNS cstring LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_out';
CREATE FUNCTION decimal_counter_recv(internal) RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_recv';
CREATE FUNCTION decimal_counter_send(decimal_counter) RETURNS bytea   LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_send';
CREATE TYPE decimal_counter (
    INPUT = decimal_counter_in, OUTPUT = decimal_counter_out, RECEIVE = decimal_counter_recv, SEND = decimal_counter_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain, CATEGORY = 'N'
);
COMMENT ON TYPE decimal_counter IS 'numeric whose additions commute';

CREATE FUNCTION decimal_counter(smallint) RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int2';
CREATE FUNCTION decimal_counter(integer)  RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int4';
CREATE FUNCTION decimal_counter(bigint)   RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int8';
CREATE FUNCTION decimal_counter(numeric)  RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_numeric';
CREATE FUNCTION decimal_counter(double precision) RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_float8';
CREATE FUNCTION decimal_counter_value(decimal_counter) RETURNS numeric LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_value';
CREATE CAST (smallint AS decimal_counter) WITH FUNCTION decimal_counter(smallint) AS IMPLICIT;
CREATE CAST (integer AS decimal_counter) WITH FUNCTION decimal_counter(integer) AS IMPLICIT;
CREATE CAST (bigint AS decimal_counter) WITH FUNCTION decimal_counter(bigint) AS IMPLICIT;
CREATE CAST (numeric AS decimal_counter) WITH FUNCTION decimal_counter(numeric) AS IMPLICIT;
CREATE CAST (double precision AS decimal_counter) WITH FUNCTION decimal_counter(double precision) AS ASSIGNMENT;
CREATE CAST (decimal_counter AS numeric) WITH FUNCTION decimal_counter_value(decimal_counter) AS IMPLICIT;

CREATE FUNCTION decimal_counter_newest_value(decimal_counter) RETURNS numeric LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_newest_value';
CREATE FUNCTION decimal_counter_add(decimal_counter, numeric) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_add';
CREATE FUNCTION decimal_counter_subtract(decimal_counter, numeric) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_subtract';
CREATE FUNCTION decimal_counter_copy(decimal_counter) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_copy';
CREATE FUNCTION decimal_counter_object(decimal_counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_object';

-- Views for operators. They read the slice table, shared memory and the lock table, never the users' tables.
CREATE VIEW split_objects AS
    SELECT s.relation::regclass AS "table",
           (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = s.relation AND a.attnum = s.attribute) AS "column",
           s.object,
           count(*) FILTER (WHERE s.slot <> 0) AS slices,
           bool_or(s.slot = 0) AS folded,
           sum(coalesce(s.delta, s.amount)) AS in_slices
    FROM abelian.slice s GROUP BY s.relation, s.attribute, s.object;
COMMENT ON VIEW split_objects IS 'objects of which a part lies in slices: where, how many slices, and what they sum up to; the rest is the base in the row';

CREATE FUNCTION figure(text) RETURNS bigint LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_figure';
CREATE VIEW statistics AS
    SELECT abelian.figure('in_place') AS in_place, abelian.figure('in_slices') AS in_slices,
           abelian.figure('slices_created') AS slices_created, abelian.figure('collisions') AS collisions,
           abelian.figure('folds') AS folds, abelian.figure('slices_folded') AS slices_folded,
           abelian.figure('waits') AS waits,
           pg_catalog.pg_relation_size('abelian.slice') AS slice_table_bytes;
COMMENT ON VIEW statistics IS 'what was done how often since the server started, in all its databases';

CREATE FUNCTION object_place(bigint, OUT relation oid, OUT attribute smallint) LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_place';
CREATE VIEW locks AS
    SELECT l.pid, p.relation::regclass AS "table",
           (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = p.relation AND a.attnum = p.attribute) AS "column",
           l.object, CASE l.class WHEN 11001 THEN 'value' ELSE 'row' END AS part,
           CASE l.mode WHEN 'RowExclusiveLock' THEN 'add' WHEN 'ShareLock' THEN 'read' WHEN 'ExclusiveLock' THEN 'overwrite' ELSE l.mode END AS operation,
           l.granted, l.waitstart,
           CASE WHEN l.granted THEN '{}' ELSE pg_catalog.pg_blocking_pids(l.pid) END AS blocked_by,
           a.query
    FROM (SELECT pid, mode, granted, waitstart, objsubid AS class, (classid::bigint << 32) | objid::bigint AS object
          FROM pg_catalog.pg_locks
          WHERE locktype = 'advisory' AND objsubid IN (11001, 11002) -- the classes of src/lock
            AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) l
         CROSS JOIN LATERAL abelian.object_place(l.object) p
         LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);
COMMENT ON VIEW locks IS 'who holds and who waits for abstract locks; pid is NULL for a prepared transaction, table and column for an object that was not seen in slices lately';
GRANT SELECT ON split_objects, statistics, locks TO pg_monitor;
-- ==== end of types, objects, locks ==================================================================

-- ==== operations ====================================================================================
-- Called by rewritten statements, not by users.
CREATE FUNCTION operate(counter, bigint, tid, oid) RETURNS counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_operate';
CREATE FUNCTION operate(decimal_counter, numeric, tid, oid) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_operate';
CREATE FUNCTION newest(counter, tid, oid, integer) RETURNS counter LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_counter_newest';
CREATE FUNCTION newest(decimal_counter, tid, oid, integer) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_decimal_counter_newest';
CREATE FUNCTION replace(counter, counter, tid, oid) RETURNS counter LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_counter_replace';
CREATE FUNCTION replace(decimal_counter, decimal_counter, tid, oid) RETURNS decimal_counter LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_replace';
CREATE FUNCTION keep(counter, tid, oid) RETURNS counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_keep';
CREATE FUNCTION keep(decimal_counter, tid, oid) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_keep';
CREATE FUNCTION lock_row(tid, oid, integer) RETURNS boolean LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_lock_row';
CREATE FUNCTION in_snapshot(tid, oid) RETURNS boolean LANGUAGE c STABLE STRICT COST 100 AS 'MODULE_PATHNAME', 'abelian_in_snapshot';

-- Order, equality and hashing are those of the value. The operators have names of their own, so that `c = $1` means bigint.
CREATE FUNCTION counter_lt(counter, counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_lt';
CREATE FUNCTION counter_le(counter, counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_le';
CREATE FUNCTION counter_eq(counter, counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_eq';
CREATE FUNCTION counter_ge(counter, counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_ge';
CREATE FUNCTION counter_gt(counter, counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_gt';
CREATE FUNCTION counter_compare(counter, counter) RETURNS integer LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_compare';
CREATE FUNCTION counter_hash(counter) RETURNS integer LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.hashint8($1::pg_catalog.int8)';
CREATE OPERATOR |<| (FUNCTION = counter_lt, LEFTARG = counter, RIGHTARG = counter, COMMUTATOR = |>|, NEGATOR = |>=|, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR |<=| (FUNCTION = counter_le, LEFTARG = counter, RIGHTARG = counter, COMMUTATOR = |>=|, NEGATOR = |>|, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR |=| (FUNCTION = counter_eq, LEFTARG = counter, RIGHTARG = counter, COMMUTATOR = |=|, HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR |>=| (FUNCTION = counter_ge, LEFTARG = counter, RIGHTARG = counter, COMMUTATOR = |<=|, NEGATOR = |<|, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR |>| (FUNCTION = counter_gt, LEFTARG = counter, RIGHTARG = counter, COMMUTATOR = |<|, NEGATOR = |<=|, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR CLASS counter_order DEFAULT FOR TYPE counter USING btree AS
    OPERATOR 1 |<|, OPERATOR 2 |<=|, OPERATOR 3 |=|, OPERATOR 4 |>=|, OPERATOR 5 |>|, FUNCTION 1 counter_compare(counter, counter);
CREATE OPERATOR CLASS counter_hashing DEFAULT FOR TYPE counter USING hash AS OPERATOR 1 |=|, FUNCTION 1 counter_hash(counter);
CREATE FUNCTION decimal_counter_lt(decimal_counter, decimal_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_lt';
CREATE FUNCTION decimal_counter_le(decimal_counter, decimal_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_le';
CREATE FUNCTION decimal_counter_eq(decimal_counter, decimal_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_eq';
CREATE FUNCTION decimal_counter_ge(decimal_counter, decimal_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_ge';
CREATE FUNCTION decimal_counter_gt(decimal_counter, decimal_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_gt';
CREATE FUNCTION decimal_counter_compare(decimal_counter, decimal_counter) RETURNS integer LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_compare';
CREATE FUNCTION decimal_counter_hash(decimal_counter) RETURNS integer LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.hash_numeric($1::pg_catalog.numeric)';
CREATE OPERATOR |<| (FUNCTION = decimal_counter_lt, LEFTARG = decimal_counter, RIGHTARG = decimal_counter, COMMUTATOR = |>|, NEGATOR = |>=|, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR |<=| (FUNCTION = decimal_counter_le, LEFTARG = decimal_counter, RIGHTARG = decimal_counter, COMMUTATOR = |>=|, NEGATOR = |>|, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR |=| (FUNCTION = decimal_counter_eq, LEFTARG = decimal_counter, RIGHTARG = decimal_counter, COMMUTATOR = |=|, HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR |>=| (FUNCTION = decimal_counter_ge, LEFTARG = decimal_counter, RIGHTARG = decimal_counter, COMMUTATOR = |<=|, NEGATOR = |<|, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR |>| (FUNCTION = decimal_counter_gt, LEFTARG = decimal_counter, RIGHTARG = decimal_counter, COMMUTATOR = |<|, NEGATOR = |<=|, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR CLASS decimal_counter_order DEFAULT FOR TYPE decimal_counter USING btree AS
    OPERATOR 1 |<|, OPERATOR 2 |<=|, OPERATOR 3 |=|, OPERATOR 4 |>=|, OPERATOR 5 |>|, FUNCTION 1 decimal_counter_compare(decimal_counter, decimal_counter);
CREATE OPERATOR CLASS decimal_counter_hashing DEFAULT FOR TYPE decimal_counter USING hash AS OPERATOR 1 |=|, FUNCTION 1 decimal_counter_hash(decimal_counter);

-- The casts that the plain types have.
CREATE FUNCTION counter_as_int2(counter) RETURNS int2 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.int2';
CREATE CAST (counter AS int2) WITH FUNCTION counter_as_int2(counter) AS ASSIGNMENT;
CREATE FUNCTION counter_as_int4(counter) RETURNS int4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.int4';
CREATE CAST (counter AS int4) WITH FUNCTION counter_as_int4(counter) AS ASSIGNMENT;
CREATE FUNCTION counter_as_float4(counter) RETURNS float4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.float4';
CREATE CAST (counter AS float4) WITH FUNCTION counter_as_float4(counter) AS ASSIGNMENT;
CREATE FUNCTION counter_as_float8(counter) RETURNS float8 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.float8';
CREATE CAST (counter AS float8) WITH FUNCTION counter_as_float8(counter) AS ASSIGNMENT;
CREATE FUNCTION counter_as_numeric(counter) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.numeric';
CREATE CAST (counter AS numeric) WITH FUNCTION counter_as_numeric(counter) AS ASSIGNMENT;
CREATE FUNCTION counter_as_json(counter) RETURNS json LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.to_json($1::pg_catalog.int8)';
CREATE CAST (counter AS json) WITH FUNCTION counter_as_json(counter);
CREATE FUNCTION decimal_counter_as_int2(decimal_counter) RETURNS int2 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::pg_catalog.int2';
CREATE CAST (decimal_counter AS int2) WITH FUNCTION decimal_counter_as_int2(decimal_counter) AS ASSIGNMENT;
CREATE FUNCTION decimal_counter_as_int4(decimal_counter) RETURNS int4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::pg_catalog.int4';
CREATE CAST (decimal_counter AS int4) WITH FUNCTION decimal_counter_as_int4(decimal_counter) AS ASSIGNMENT;
CREATE FUNCTION decimal_counter_as_int8(decimal_counter) RETURNS int8 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::pg_catalog.int8';
CREATE CAST (decimal_counter AS int8) WITH FUNCTION decimal_counter_as_int8(decimal_counter) AS ASSIGNMENT;
CREATE FUNCTION decimal_counter_as_float4(decimal_counter) RETURNS float4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::pg_catalog.float4';
CREATE CAST (decimal_counter AS float4) WITH FUNCTION decimal_counter_as_float4(decimal_counter) AS ASSIGNMENT;
CREATE FUNCTION decimal_counter_as_float8(decimal_counter) RETURNS float8 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::pg_catalog.float8';
CREATE CAST (decimal_counter AS float8) WITH FUNCTION decimal_counter_as_float8(decimal_counter) AS ASSIGNMENT;
CREATE FUNCTION decimal_counter_as_json(decimal_counter) RETURNS json LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.to_json($1::pg_catalog.numeric)';
CREATE CAST (decimal_counter AS json) WITH FUNCTION decimal_counter_as_json(decimal_counter);
CREATE FUNCTION decimal_counter(counter) RETURNS decimal_counter LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.numeric::@extschema@.decimal_counter';
CREATE FUNCTION counter(decimal_counter) RETURNS counter LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.numeric::@extschema@.counter';
CREATE CAST (counter AS decimal_counter) WITH FUNCTION decimal_counter(counter) AS ASSIGNMENT;
CREATE CAST (decimal_counter AS counter) WITH FUNCTION counter(decimal_counter) AS ASSIGNMENT;
-- ==== end of operations =============================================================================

-- ==== cluster =======================================================================================
-- ---- nodes and placement
-- The same rows stand on every node. Routers change them on all nodes in one coordinated transaction.

CREATE TABLE abelian.cluster (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL,            -- grows with every change; 0 never occurs
  next_node_id integer NOT NULL,      -- numbers are not reused
  next_colocation_id integer NOT NULL
);
INSERT INTO abelian.cluster (version, next_node_id, next_colocation_id) VALUES (1, 1, 1);

CREATE TABLE abelian.node (
  node_id integer PRIMARY KEY,
  host text NOT NULL,
  port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
  UNIQUE (host, port)
);

CREATE TABLE abelian.colocation (
  colocation_id integer PRIMARY KEY,
  partition_count integer NOT NULL CHECK (partition_count BETWEEN 1 AND 65536),
  key_type text NOT NULL CHECK (key_type IN ('integer', 'text', 'blank_padded', 'uuid', 'boolean', 'date')),
  is_default boolean NOT NULL         -- joined by tables that name no table to be colocated with
);

CREATE TABLE abelian.partition (
  colocation_id integer NOT NULL REFERENCES abelian.colocation ON DELETE CASCADE,
  partition integer NOT NULL,
  node_id integer NOT NULL REFERENCES abelian.node,
  PRIMARY KEY (colocation_id, partition)
);

CREATE TABLE abelian.placement (
  relation regclass PRIMARY KEY,
  method text NOT NULL CHECK (method IN ('hash', 'reference')),
  column_name name,
  colocation_id integer REFERENCES abelian.colocation,
  CHECK ((method = 'hash') = (column_name IS NOT NULL AND colocation_id IS NOT NULL))
);

GRANT SELECT ON abelian.cluster, abelian.node, abelian.colocation, abelian.partition, abelian.placement TO PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'abelian_router') THEN
    CREATE ROLE abelian_router NOLOGIN; -- what routers call; also for applications with a router inside
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'abelian_server') THEN
    CREATE ROLE abelian_server NOLOGIN; -- and what a router needs that lets clients in itself
    GRANT abelian_router TO abelian_server;
  END IF;
END $$;

-- Tells every backend, when the change commits (COMMIT PREPARED included), to read the version anew.
CREATE FUNCTION abelian.placement_changed() RETURNS trigger LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_placement_changed';
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.cluster
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();

-- Starts a change: one at a time, and only by a router once there are several nodes, since each must make it.
CREATE FUNCTION abelian.begin_placement_change() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('abelian.placement_version')::bigint = 0 AND (SELECT count(*) FROM abelian.node) > 1 THEN
    RAISE EXCEPTION 'the placement can only be changed through a router'
      USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Every node of the cluster must make the same change.',
            HINT = 'Connect to the router and run the statement there.';
  END IF;
  UPDATE abelian.cluster SET version = version + 1;
END $$;
REVOKE ALL ON FUNCTION abelian.begin_placement_change() FROM PUBLIC;

CREATE FUNCTION abelian.catalog() RETURNS json LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
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
        FROM abelian.colocation g), '[]'))
  FROM abelian.cluster
$$;

-- -- nodes

CREATE FUNCTION abelian.add_node(host text, port integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number integer;
  filled regclass;
BEGIN
  PERFORM abelian.begin_placement_change();
  FOR filled IN SELECT relation FROM abelian.placement WHERE method = 'reference' ORDER BY relation::oid LOOP
    IF abelian.has_rows(filled) THEN
      RAISE EXCEPTION 'cannot add a node: reference table % has rows, which the new node would lack', filled
        USING ERRCODE = 'feature_not_supported',
              HINT = 'Add the nodes before loading reference tables.';
    END IF;
  END LOOP;
  UPDATE abelian.cluster SET next_node_id = next_node_id + 1 RETURNING next_node_id - 1 INTO number;
  INSERT INTO abelian.node (node_id, host, port) VALUES (number, add_node.host, add_node.port);
  RETURN number;
END $$;
REVOKE ALL ON FUNCTION abelian.add_node(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.add_node(text, integer) TO abelian_router;

CREATE FUNCTION abelian.remove_node(node_id integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM abelian.begin_placement_change();
  IF EXISTS (SELECT FROM abelian.partition p WHERE p.node_id = remove_node.node_id) THEN
    RAISE EXCEPTION 'node % holds partitions', remove_node.node_id
      USING ERRCODE = 'dependent_objects_still_exist',
            HINT = 'Undistribute or drop the tables that have partitions there first.';
  END IF;
  IF remove_node.node_id = (SELECT min(n.node_id) FROM abelian.node n) AND (SELECT count(*) FROM abelian.node) > 1 THEN
    RAISE EXCEPTION 'node % is the first node, which holds the tables without a placement', remove_node.node_id
      USING ERRCODE = 'dependent_objects_still_exist';
  END IF;
  DELETE FROM abelian.node n WHERE n.node_id = remove_node.node_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'node % does not exist', remove_node.node_id USING ERRCODE = 'undefined_object';
  END IF;
END $$;
REVOKE ALL ON FUNCTION abelian.remove_node(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.remove_node(integer) TO abelian_router;

-- Gives a new, still empty node the catalogue of the others, as abelian.catalog() printed it there. The tables must exist.
CREATE FUNCTION abelian.install_catalog(catalog json) RETURNS void
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
END $$;
REVOKE ALL ON FUNCTION abelian.install_catalog(json) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.install_catalog(json) TO abelian_router;

-- -- placement of tables

CREATE FUNCTION abelian.has_rows(relation regclass) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found_one boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM %s)', relation) INTO found_one;
  RETURN found_one;
END $$;

-- How values of a column are brought into canonical form before hashing; NULL when the type cannot be a distribution key.
CREATE FUNCTION abelian.key_type(type oid, typmod integer, collation_id oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    WHEN type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN 'integer'
    WHEN type = 'numeric'::regtype AND typmod >= 4 AND (typmod - 4) & 2047 = 0 THEN 'integer' -- numeric(p, 0)
    WHEN type = 'uuid'::regtype THEN 'uuid'
    WHEN type = 'boolean'::regtype THEN 'boolean'
    WHEN type = 'date'::regtype THEN 'date'
    WHEN NOT coalesce((SELECT collisdeterministic FROM pg_collation WHERE oid = collation_id), true) THEN NULL
    WHEN type IN ('text'::regtype, 'varchar'::regtype) THEN 'text'
    WHEN type = 'character'::regtype THEN 'blank_padded'
  END
$$;

-- Raises unless rows of a placed table can live on the node that their key gives them, all checks local to it.
CREATE FUNCTION abelian.check_placement(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  placed abelian.placement;
  key pg_attribute;
  problem record;
BEGIN
  SELECT * INTO placed FROM abelian.placement p WHERE p.relation = check_placement.relation;
  SELECT * INTO key FROM pg_attribute a
   WHERE a.attrelid = placed.relation AND a.attname = placed.column_name AND NOT a.attisdropped;
  IF placed.method = 'hash' AND abelian.key_type(key.atttypid, key.atttypmod, key.attcollation)
       IS DISTINCT FROM (SELECT key_type FROM abelian.colocation g WHERE g.colocation_id = placed.colocation_id) THEN
    RAISE EXCEPTION 'the distribution column "%" of table % cannot be dropped, renamed or change its kind', placed.column_name, relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Call undistribute_table() first; the table must be empty.';
  END IF;

  FOR problem IN
    SELECT x.indexrelid::regclass AS name FROM pg_index x
     WHERE placed.method = 'hash' AND x.indrelid = placed.relation
       AND (x.indisunique OR x.indisexclusion) AND NOT key.attnum = ANY (x.indkey::smallint[])
  LOOP
    RAISE EXCEPTION 'unique constraint or index % of table % does not contain the distribution column "%"',
                    problem.name, relation, placed.column_name
      USING ERRCODE = 'feature_not_supported', DETAIL = 'Each node could only check its own rows.',
            HINT = format('Add column %I to the constraint, or distribute by a column that it contains.', placed.column_name);
  END LOOP;

  FOR problem IN
    SELECT k.conname AS name, k.conrelid::regclass AS child, k.confrelid::regclass AS parent FROM pg_constraint k
     WHERE k.contype = 'f' AND placed.relation IN (k.conrelid, k.confrelid) AND k.conparentid = 0
       AND NOT abelian.is_local_foreign_key(k.oid)
  LOOP
    RAISE EXCEPTION 'foreign key "%" of table % on table % would cross nodes', problem.name, problem.child, problem.parent
      USING ERRCODE = 'feature_not_supported',
            HINT = 'A foreign key may refer to a reference table, or map the distribution column to that of a colocated table. '
                   'Place the referenced table first; else drop the constraint.';
  END LOOP;

  IF placed.method = 'hash' THEN
    PERFORM abelian.divide_sequences(relation);
  END IF;

  FOR problem IN
    SELECT t.tgname AS name, 'trigger' AS what FROM pg_trigger t WHERE t.tgrelid = placed.relation AND NOT t.tgisinternal
    UNION ALL
    SELECT r.rulename, 'rule' FROM pg_rewrite r WHERE r.ev_class = placed.relation
    UNION ALL
    SELECT l.polname, 'policy with a subquery' FROM pg_policy l
     WHERE l.polrelid = placed.relation AND concat(l.polqual, l.polwithcheck) LIKE '%{SUBLINK %'
    UNION ALL
    SELECT i.inhrelid::regclass::name, 'inheritance child' FROM pg_inherits i WHERE i.inhparent = placed.relation
    UNION ALL
    SELECT i.inhparent::regclass::name, 'inheritance parent' FROM pg_inherits i WHERE i.inhrelid = placed.relation
  LOOP
    RAISE EXCEPTION 'table % has %: % "%"', relation, 'what a placed table cannot have', problem.what, problem.name
      USING ERRCODE = 'feature_not_supported', DETAIL = 'It would act on the rows of one node only.',
            HINT = format('Drop %s %I first.', problem.what, problem.name);
  END LOOP;
END $$;

-- Sequences that give a table's columns their values.
CREATE FUNCTION abelian.sequences_of(relation regclass) RETURNS SETOF pg_sequence LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.* FROM pg_sequence s WHERE s.seqrelid IN (
    SELECT d.refobjid FROM pg_attrdef a JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
     WHERE a.adrelid = relation AND d.refclassid = 'pg_class'::regclass
    UNION ALL
    SELECT d.objid FROM pg_depend d -- of identity columns
     WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.deptype = 'i')
   ORDER BY s.seqrelid
$$;

-- Sequences of a distributed table never give two nodes the same value: all count in the same stride, each node from a start of its own.
CREATE FUNCTION abelian.divide_sequences(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  this_node integer := coalesce(nullif(current_setting('abelian.node_id')::integer, 0), (SELECT min(n.node_id) FROM abelian.node n));
  sequence oid;
  s pg_sequence;
  stride bigint;
  latest bigint;
  used boolean;
BEGIN
  -- Each ALTER SEQUENCE below comes back here by abelian.check_ddl(), and does the rest: hence what is known of a sequence is read in its turn.
  FOR sequence IN SELECT q.seqrelid FROM abelian.sequences_of(relation) q LOOP
    SELECT * INTO STRICT s FROM pg_sequence q WHERE q.seqrelid = sequence;
    stride := CASE s.seqtypid WHEN 'bigint'::regtype THEN 1024 WHEN 'integer'::regtype THEN 64 ELSE 16 END;
    EXECUTE format('SELECT last_value, is_called FROM %s', s.seqrelid::regclass) INTO latest, used;
    IF s.seqincrement = stride AND NOT s.seqcycle AND (latest - s.seqstart) % stride = 0 THEN
      CONTINUE;
    ELSIF s.seqincrement <> 1 OR s.seqcycle OR used OR latest <> s.seqstart THEN
      RAISE EXCEPTION 'sequence % cannot give values to distributed table % as it is', s.seqrelid::regclass, relation
        USING ERRCODE = 'feature_not_supported', DETAIL = format('Each node counts in steps of %s from a start of its own.', stride),
              HINT = 'It must be unused, count by 1, and not CYCLE: use a new sequence, or ALTER SEQUENCE ... RESTART before the table is distributed.';
    ELSIF this_node > stride THEN
      RAISE EXCEPTION 'sequence % has room for % nodes, and this is node %', s.seqrelid::regclass, stride, this_node
        USING ERRCODE = 'feature_not_supported', HINT = 'Use a larger integer type.';
    END IF;
    EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s START WITH %s RESTART', s.seqrelid::regclass, stride, s.seqstart + this_node - 1);
  END LOOP;
END $$;

-- True when both ends of each pair of rows lie on one node. A table without placement that is still empty may refer to a placed
-- one: it is about to be placed, and is checked then.
CREATE FUNCTION abelian.is_local_foreign_key(constraint_id oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  k pg_constraint;
  child abelian.placement;
  parent abelian.placement;
BEGIN
  SELECT * INTO STRICT k FROM pg_constraint c WHERE c.oid = constraint_id;
  SELECT * INTO child FROM abelian.placement p WHERE p.relation = k.conrelid;
  SELECT * INTO parent FROM abelian.placement p WHERE p.relation = k.confrelid;
  IF parent.method = 'reference' THEN
    RETURN true;
  ELSIF parent.method IS NULL THEN
    RETURN child.method IS NULL;
  ELSIF child.method IS NULL THEN
    RETURN NOT abelian.has_rows(k.conrelid);
  END IF;
  RETURN child.method = 'hash' AND child.colocation_id = parent.colocation_id AND EXISTS (
    SELECT FROM unnest(k.conkey, k.confkey) AS pair(child_column, parent_column)
      JOIN pg_attribute c ON c.attrelid = k.conrelid AND c.attnum = pair.child_column AND c.attname = child.column_name
      JOIN pg_attribute p ON p.attrelid = k.confrelid AND p.attnum = pair.parent_column AND p.attname = parent.column_name);
END $$;

-- Checks that do not depend on the kind of placement, and locks the table against everybody until the end of the transaction.
CREATE FUNCTION abelian.claim_table(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  class pg_class;
BEGIN
  SELECT * INTO class FROM pg_class c WHERE c.oid = relation;
  IF class.oid IS NULL THEN
    RAISE EXCEPTION 'a table name is required' USING ERRCODE = 'null_value_not_allowed';
  ELSIF NOT pg_has_role(session_user, class.relowner, 'USAGE') THEN
    RAISE EXCEPTION 'must be owner of table %', relation USING ERRCODE = 'insufficient_privilege';
  ELSIF class.relkind <> 'r' THEN
    RAISE EXCEPTION '% is not an ordinary table', relation
      USING ERRCODE = CASE class.relkind WHEN 'p' THEN 'feature_not_supported' ELSE 'wrong_object_type' END,
            HINT = 'Only ordinary tables can be placed; partitioned tables, views and foreign tables cannot.';
  ELSIF class.relpersistence = 't' OR class.relnamespace IN ('pg_catalog'::regnamespace, 'abelian'::regnamespace) THEN
    RAISE EXCEPTION '% is a temporary or system table', relation USING ERRCODE = 'wrong_object_type';
  END IF;
  EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
END $$;

CREATE FUNCTION abelian.place_table(relation regclass, method text, column_name name, colocate_with regclass, share_default boolean,
                                    partition_count integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  key pg_attribute;
  kind text;
  colocation integer;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  IF EXISTS (SELECT FROM abelian.placement p WHERE p.relation = relation) THEN
    RAISE EXCEPTION 'table % is already distributed or a reference table', relation
      USING ERRCODE = 'duplicate_object', HINT = 'Call undistribute_table() first; the table must be empty.';
  ELSIF NOT EXISTS (SELECT FROM abelian.node) THEN
    RAISE EXCEPTION 'the cluster has no nodes yet'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'SELECT abelian.add_node(host, port) for each node.';
  ELSIF abelian.has_rows(relation) THEN
    RAISE EXCEPTION 'table % is not empty', relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Place the table first and load it through the router then.';
  END IF;
  IF method = 'hash' THEN
    SELECT * INTO key FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = column_name AND a.attnum > 0 AND NOT a.attisdropped;
    kind := abelian.key_type(key.atttypid, key.atttypmod, key.attcollation);
    IF key.attnum IS NULL THEN
      RAISE EXCEPTION 'column "%" of table % does not exist', column_name, relation USING ERRCODE = 'undefined_column';
    ELSIF key.attgenerated <> '' THEN
      RAISE EXCEPTION 'column "%" of table % is generated and cannot be the distribution column', column_name, relation
        USING ERRCODE = 'feature_not_supported';
    ELSIF kind IS NULL THEN
      RAISE EXCEPTION 'column "%" of type % cannot be the distribution column', column_name, format_type(key.atttypid, key.atttypmod)
        USING ERRCODE = 'feature_not_supported',
              HINT = 'Integers, numeric(p, 0), text, varchar, char, uuid, boolean and date can, with a deterministic collation.';
    END IF;
    colocation := abelian.choose_colocation(kind, colocate_with, share_default, partition_count);
  END IF;
  INSERT INTO abelian.placement (relation, method, column_name, colocation_id) VALUES (relation, method, column_name, colocation);
  PERFORM abelian.check_placement(relation);
END $$;

-- The group of the given table; the default group of that kind and count; or a new one, its partitions in equal contiguous ranges.
CREATE FUNCTION abelian.choose_colocation(kind text, colocate_with regclass, share_default boolean, partition_count integer) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  chosen abelian.colocation;
BEGIN
  IF colocate_with IS NOT NULL THEN
    SELECT g.* INTO chosen FROM abelian.colocation g JOIN abelian.placement p USING (colocation_id) WHERE p.relation = colocate_with;
    IF chosen.colocation_id IS NULL THEN
      RAISE EXCEPTION 'table % is not distributed', colocate_with
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Distribute it first.';
    ELSIF chosen.key_type <> kind THEN
      RAISE EXCEPTION 'cannot colocate with table %: its keys are of kind %, not %', colocate_with, chosen.key_type, kind
        USING ERRCODE = 'datatype_mismatch';
    END IF;
    RETURN chosen.colocation_id;
  END IF;
  IF share_default THEN
    SELECT * INTO chosen FROM abelian.colocation g
     WHERE g.is_default AND g.key_type = kind AND g.partition_count = partition_count;
    IF FOUND THEN
      RETURN chosen.colocation_id;
    END IF;
  END IF;
  UPDATE abelian.cluster SET next_colocation_id = next_colocation_id + 1 RETURNING next_colocation_id - 1 INTO chosen.colocation_id;
  INSERT INTO abelian.colocation VALUES (chosen.colocation_id, partition_count, kind, share_default);
  INSERT INTO abelian.partition
    WITH ranked AS (SELECT node_id, row_number() OVER (ORDER BY node_id) - 1 AS rank, count(*) OVER () AS nodes FROM abelian.node)
    SELECT chosen.colocation_id, number, ranked.node_id
      FROM generate_series(0, partition_count - 1) AS number JOIN ranked ON ranked.rank = number * ranked.nodes / partition_count;
  RETURN chosen.colocation_id;
END $$;

CREATE FUNCTION pg_catalog.create_distributed_table(relation regclass, "column" text, colocate_with text DEFAULT 'default',
                                                    partition_count integer DEFAULT 32) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.place_table(relation, 'hash', "column"::name,
    CASE WHEN colocate_with NOT IN ('default', 'none') THEN colocate_with::regclass END, colocate_with = 'default', partition_count);
END $$;

CREATE FUNCTION pg_catalog.create_reference_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.place_table(relation, 'reference', NULL, NULL, false, NULL);
END $$;

-- Back to a table that lies on the first node only.
CREATE FUNCTION pg_catalog.undistribute_table(relation regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  child regclass;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  IF abelian.has_rows(relation) THEN
    RAISE EXCEPTION 'table % is not empty', relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Copy the rows elsewhere and TRUNCATE the table first.';
  END IF;
  IF NOT abelian.forget_table(relation) THEN
    RAISE EXCEPTION 'table % is neither distributed nor a reference table', relation USING ERRCODE = 'undefined_object';
  END IF;
  FOR child IN
    SELECT k.conrelid FROM pg_constraint k JOIN abelian.placement p ON p.relation = k.conrelid
     WHERE k.contype = 'f' AND k.confrelid = relation
  LOOP
    RAISE EXCEPTION 'placed table % has a foreign key on table %', child, relation
      USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Undistribute that table first.';
  END LOOP;
END $$;

CREATE FUNCTION abelian.forget_table(relation_id oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM abelian.placement p WHERE p.relation::oid = relation_id;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM abelian.colocation g WHERE NOT EXISTS (SELECT FROM abelian.placement p WHERE p.colocation_id = g.colocation_id);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION abelian.place_table(regclass, text, name, regclass, boolean, integer),
  abelian.choose_colocation(text, regclass, boolean, integer), abelian.forget_table(oid), abelian.claim_table(regclass),
  abelian.divide_sequences(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.place_table(regclass, text, name, regclass, boolean, integer) TO PUBLIC; -- checks ownership itself

-- -- DDL on placed tables

-- Routers keep what they know about statements together with the version, so DDL that changes the meaning of statements makes a new
-- one too. On a router's connections only: it makes the same change on every node.
CREATE FUNCTION abelian.is_router() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT current_setting('abelian.placement_version')::bigint <> 0
$$;

CREATE FUNCTION abelian.follow_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dropped oid;
BEGIN
  IF abelian.is_router() AND EXISTS (
    SELECT FROM pg_event_trigger_dropped_objects() o
     WHERE NOT o.is_temporary AND o.object_type IN ('table', 'table column', 'view', 'materialized view', 'function', 'rule', 'policy')) THEN
    PERFORM abelian.begin_placement_change();
  END IF;
  FOR dropped IN
    SELECT o.objid FROM pg_event_trigger_dropped_objects() o JOIN abelian.placement p ON p.relation::oid = o.objid
     WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0
  LOOP
    IF NOT abelian.is_router() THEN
      PERFORM abelian.begin_placement_change();
    END IF;
    PERFORM abelian.forget_table(dropped);
  END LOOP;
END $$;
CREATE EVENT TRIGGER abelian_follow_drop ON sql_drop EXECUTE FUNCTION abelian.follow_drop();

CREATE FUNCTION abelian.check_ddl() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  touched regclass;
BEGIN
  FOR touched IN
    SELECT p.relation
      FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_index x ON c.classid = 'pg_class'::regclass AND x.indexrelid = c.objid
      LEFT JOIN pg_trigger t ON c.classid = 'pg_trigger'::regclass AND t.oid = c.objid
      LEFT JOIN pg_rewrite r ON c.classid = 'pg_rewrite'::regclass AND r.oid = c.objid
      LEFT JOIN pg_policy l ON c.classid = 'pg_policy'::regclass AND l.oid = c.objid
      LEFT JOIN pg_constraint k ON c.classid = 'pg_class'::regclass AND k.contype = 'f' AND k.conrelid = c.objid
      LEFT JOIN pg_inherits i ON c.classid = 'pg_class'::regclass AND i.inhrelid = c.objid
      JOIN abelian.placement p
        ON c.object_type = 'sequence' AND c.objid IN (SELECT s.seqrelid FROM abelian.sequences_of(p.relation) s)
        OR p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, x.indrelid, t.tgrelid, r.ev_class, l.polrelid,
                               k.confrelid, i.inhparent)
     GROUP BY p.relation ORDER BY bool_or(p.relation::oid = c.objid) DESC, p.relation
  LOOP
    PERFORM abelian.check_placement(touched);
  END LOOP;
  IF EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_class t ON c.classid = 'pg_namespace'::regclass AND t.relnamespace = c.objid
      LEFT JOIN abelian.placement p ON p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, t.oid)
     WHERE c.schema_name IS DISTINCT FROM 'pg_temp' AND NOT c.in_extension
       AND CASE WHEN abelian.is_router()
             THEN c.command_tag IN ('ALTER TABLE', 'ALTER VIEW', 'CREATE VIEW', 'ALTER SCHEMA', 'CREATE RULE', 'ALTER RULE', 'ALTER FUNCTION', 'CREATE POLICY', 'ALTER POLICY')
             ELSE c.command_tag IN ('ALTER TABLE', 'ALTER SCHEMA') AND p.relation IS NOT NULL -- its name may have changed
           END)
  THEN
    PERFORM abelian.begin_placement_change();
  END IF;
END $$;
CREATE EVENT TRIGGER abelian_check_ddl ON ddl_command_end EXECUTE FUNCTION abelian.check_ddl();

-- ---- commit decisions, gates, outcomes

CREATE TABLE abelian.decision (
  gid text PRIMARY KEY,
  committed boolean NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  decided_by xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- Held by what makes a coordinated transaction durable, up to its COMMIT [PREPARED]; PREPARE TRANSACTION of our gids takes it by itself.
CREATE FUNCTION abelian.enter_commit_gate() RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_enter_commit_gate';
-- The other side of the gate; waits without limit.
CREATE FUNCTION abelian.enter_snapshot_gate() RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_enter_snapshot_gate';
REVOKE ALL ON FUNCTION abelian.enter_commit_gate(), abelian.enter_snapshot_gate() FROM PUBLIC;

-- In the holder's transaction, just before its COMMIT: unique_violation when recovery has aborted the transaction already.
CREATE FUNCTION abelian.decide(gid text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.enter_commit_gate();
  INSERT INTO abelian.decision (gid, committed) VALUES (decide.gid, true);
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true); -- the others commit on the strength of this row
  END IF;
END $$;

-- Decides for abort unless there is a decision; waits for one that is being made. True when the transaction is committed.
CREATE FUNCTION abelian.abort_decision(gid text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stands boolean;
BEGIN
  INSERT INTO abelian.decision (gid, committed) VALUES (abort_decision.gid, false) ON CONFLICT DO NOTHING;
  SELECT d.committed INTO STRICT stands FROM abelian.decision d WHERE d.gid = abort_decision.gid;
  RETURN stands;
END $$;

-- Removes decisions that nobody can act on any more, and returns their number. The caller lists the gids that some node still has
-- prepared, asked after the rows were seen. An abort stays while a transaction runs that may still call decide() for it.
CREATE FUNCTION abelian.forget_decisions(older_than interval, prepared text[] DEFAULT '{}') RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM abelian.decision d
     WHERE d.decided_at < clock_timestamp() - older_than AND d.gid <> ALL (prepared)
       AND (d.committed OR d.decided_by < pg_snapshot_xmin(pg_current_snapshot()))
    RETURNING 1)
  SELECT count(*) FROM gone
$$;

-- The coordinator's own: gids that it has committed on every participant.
CREATE FUNCTION abelian.forget_commits(gids text[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (DELETE FROM abelian.decision d WHERE d.gid = ANY (gids) AND d.committed RETURNING 1)
  SELECT count(*) FROM gone
$$;

-- Aborts alone: for a sweep that finds out about commits by itself.
CREATE FUNCTION abelian.forget_aborts(older_than interval) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH gone AS (
    DELETE FROM abelian.decision d
     WHERE NOT d.committed AND d.decided_at < clock_timestamp() - older_than AND d.decided_by < pg_snapshot_xmin(pg_current_snapshot())
    RETURNING 1)
  SELECT count(*) FROM gone
$$;

REVOKE ALL ON TABLE abelian.decision FROM PUBLIC;
REVOKE ALL ON FUNCTION abelian.abort_decision(text), abelian.forget_decisions(interval, text[]), abelian.forget_commits(text[]),
  abelian.forget_aborts(interval) FROM PUBLIC;
GRANT SELECT ON abelian.decision TO abelian_router;
GRANT EXECUTE ON FUNCTION abelian.abort_decision(text), abelian.forget_decisions(interval, text[]), abelian.forget_commits(text[]),
  abelian.forget_aborts(interval) TO abelian_router;

-- Takes the snapshot side of the gate to the end of the transaction; false when that took longer than the limit.
CREATE FUNCTION abelian.snapshot_gate(timeout_ms integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  limit_before text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', greatest(timeout_ms, 1)::text, true);
  PERFORM abelian.enter_snapshot_gate();
  PERFORM set_config('lock_timeout', limit_before, true);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;
REVOKE ALL ON FUNCTION abelian.snapshot_gate(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.snapshot_gate(integer) TO abelian_router;

-- Which run of which server this is; a crash ends a run.
CREATE FUNCTION abelian.server_run() RETURNS text LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_server_run';

-- What became of a transaction: by its gid (on the holder), or by '<server run>:<transaction id>' as abelian.transaction_id reported
-- it. 'unknown' for another server's token, and for one too old or never given out. After a crash an id that had not reached the disk
-- is given out again: an id of an earlier run that is committed now may be somebody else's, hence 'unknown' too.
CREATE FUNCTION abelian.transaction_outcome(token text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  committed boolean;
  same_run boolean := split_part(token, ':', 1) = abelian.server_run();
  status text;
BEGIN
  IF token LIKE 'abelian:%' THEN
    SELECT d.committed INTO committed FROM abelian.decision d WHERE d.gid = token;
    RETURN CASE committed WHEN true THEN 'committed' WHEN false THEN 'aborted' ELSE 'unknown' END;
  ELSIF token !~ '^\d+(-[0-9a-f]+)?:\d+$' THEN
    RAISE EXCEPTION 'not a transaction token: %', token USING ERRCODE = 'invalid_parameter_value';
  ELSIF token NOT LIKE (SELECT system_identifier FROM pg_control_system()) || '-%' THEN
    RETURN 'unknown';
  END IF;
  status := coalesce(pg_xact_status(split_part(token, ':', 2)::xid8), 'unknown');
  RETURN CASE WHEN same_run THEN status WHEN status = 'committed' THEN 'unknown' WHEN status = 'in progress' THEN 'aborted' ELSE status END;
EXCEPTION WHEN invalid_parameter_value OR numeric_value_out_of_range THEN
  IF token !~ '^\d+(-[0-9a-f]+)?:\d+$' THEN RAISE; END IF;
  RETURN CASE WHEN same_run THEN 'unknown' ELSE 'aborted' END; -- not given out again yet
END $$;

-- ---- sessions and waits

-- The abelian.session of a backend; NULL when it has none.
CREATE FUNCTION abelian.session_label(pid integer) RETURNS text LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_session_label';
CREATE FUNCTION abelian.lock_modes_conflict(one text, other text) RETURNS boolean LANGUAGE c STRICT IMMUTABLE
  AS 'MODULE_PATHNAME', 'abelian_lock_modes_conflict';

-- Who waits for whom on a heavyweight lock, one row per pair. A prepared transaction that blocks has its gid and no process.
CREATE FUNCTION abelian.wait_edges(
  OUT waiter_pid integer, OUT waiter_session text, OUT waiter_xact_start timestamptz, OUT waiter_query text,
  OUT blocker_pid integer, OUT blocker_session text, OUT blocker_xact_start timestamptz, OUT blocker_query text, OUT blocker_gid text)
RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH edge AS MATERIALIZED (
    SELECT DISTINCT a.pid, a.xact_start, a.query, b.pid AS blocker
      FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS b(pid)
     WHERE a.wait_event_type = 'Lock' AND a.datname = current_database())
  SELECT e.pid, abelian.session_label(e.pid), e.xact_start, e.query,
         e.blocker, abelian.session_label(e.blocker), b.xact_start, b.query, NULL
    FROM edge e LEFT JOIN pg_stat_activity b ON b.pid = e.blocker
   WHERE e.blocker <> 0
  UNION ALL
  SELECT e.pid, abelian.session_label(e.pid), e.xact_start, e.query, NULL, NULL, p.prepared, NULL, p.gid
    FROM (SELECT * FROM edge WHERE blocker = 0) e
    JOIN LATERAL (
      SELECT DISTINCT x.transactionid AS xid
        FROM pg_locks w JOIN pg_locks h
          ON h.granted AND h.pid IS NULL AND abelian.lock_modes_conflict(w.mode, h.mode)
         AND (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, h.transactionid, h.classid, h.objid, h.objsubid)
             IS NOT DISTINCT FROM
             (w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
        JOIN pg_locks x -- the holder's lock on its own transaction id
          ON x.virtualtransaction = h.virtualtransaction AND x.pid IS NULL AND x.granted
         AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
       WHERE w.pid = e.pid AND NOT w.granted) h ON true
    JOIN pg_prepared_xacts p ON p.transaction = h.xid
$$;

-- The SCRAM verifier of a user who may log in now; NULL otherwise. For a router server's own check of its clients.
CREATE FUNCTION abelian.scram_verifier(user_name name) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT rolpassword FROM pg_authid
   WHERE rolname = user_name AND rolcanlogin AND rolpassword LIKE 'SCRAM-SHA-256$%'
     AND (rolvaliduntil IS NULL OR rolvaliduntil > clock_timestamp())
$$;
REVOKE ALL ON FUNCTION abelian.wait_edges(), abelian.scram_verifier(name), abelian.session_label(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.wait_edges(), abelian.session_label(integer) TO abelian_router;
GRANT EXECUTE ON FUNCTION abelian.scram_verifier(name) TO abelian_server;

-- What is wrong with this node's settings, each with what mends it; no rows when nothing is.
CREATE FUNCTION abelian.preflight(OUT problem text, OUT hint text) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'max_prepared_transactions is 0: transactions over several nodes cannot commit',
         'Set max_prepared_transactions to at least max_connections and restart the node.'
   WHERE current_setting('max_prepared_transactions')::integer = 0
  UNION ALL
  SELECT 'the library abelian is not preloaded', 'Add abelian to shared_preload_libraries and restart the node.'
   WHERE NOT 'abelian' = ANY (regexp_split_to_array(current_setting('shared_preload_libraries'), '[ ,"]+'))
  UNION ALL
  SELECT format('%s is off: a crash may lose committed transactions', name), format('Set %s to on.', name)
    FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
  UNION ALL
  SELECT format('extension abelian has version %s, its files have %s', extversion, default_version), 'ALTER EXTENSION abelian UPDATE'
    FROM pg_extension JOIN pg_available_extensions ON name = extname
   WHERE extname = 'abelian' AND extversion IS DISTINCT FROM default_version
$$;
-- ---- analysis

-- Facts about each statement of a text, as docs/design/analysis.md lists them. Executes nothing.
CREATE FUNCTION abelian.analyze(query text, parameter_types oid[] DEFAULT '{}') RETURNS json
LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_analyze';
-- ==== end of cluster ================================================================================
