-- What version 0.2.0 adds. Each room has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== bounded_counter ===============================================================================
-- The datum is that of counter, and so are most of its functions.
CREATE TYPE bounded_counter;
CREATE FUNCTION bounded_counter_in(cstring, oid, integer) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_in';
CREATE FUNCTION bounded_counter_out(bounded_counter) RETURNS cstring LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_out';
CREATE FUNCTION bounded_counter_recv(internal, oid, integer) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_recv';
CREATE FUNCTION bounded_counter_send(bounded_counter) RETURNS bytea LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_send';
CREATE FUNCTION bounded_counter_modifier_in(cstring[]) RETURNS integer LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_modifier_in';
CREATE FUNCTION bounded_counter_modifier_out(integer) RETURNS cstring LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_modifier_out';
CREATE TYPE bounded_counter (
    INPUT = bounded_counter_in, OUTPUT = bounded_counter_out, RECEIVE = bounded_counter_recv, SEND = bounded_counter_send,
    TYPMOD_IN = bounded_counter_modifier_in, TYPMOD_OUT = bounded_counter_modifier_out,
    INTERNALLENGTH = 16, ALIGNMENT = double, STORAGE = plain, CATEGORY = 'N'
);
COMMENT ON TYPE bounded_counter IS 'bigint between a floor and a ceiling whose additions commute: bounded_counter(floor [, ceiling])';

CREATE FUNCTION bounded_counter(smallint) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int2';
CREATE FUNCTION bounded_counter(integer) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int4';
CREATE FUNCTION bounded_counter(bigint) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int8';
CREATE FUNCTION bounded_counter(numeric) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_numeric';
CREATE FUNCTION bounded_counter(double precision) RETURNS bounded_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_float8';
CREATE FUNCTION bounded_counter(bounded_counter, integer, boolean) RETURNS bounded_counter LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_check';
CREATE FUNCTION bounded_counter_value(bounded_counter) RETURNS bigint LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_value';
CREATE CAST (smallint AS bounded_counter) WITH FUNCTION bounded_counter(smallint) AS IMPLICIT;
CREATE CAST (integer AS bounded_counter) WITH FUNCTION bounded_counter(integer) AS IMPLICIT;
CREATE CAST (bigint AS bounded_counter) WITH FUNCTION bounded_counter(bigint) AS IMPLICIT;
CREATE CAST (numeric AS bounded_counter) WITH FUNCTION bounded_counter(numeric) AS ASSIGNMENT;
CREATE CAST (double precision AS bounded_counter) WITH FUNCTION bounded_counter(double precision) AS ASSIGNMENT;
CREATE CAST (bounded_counter AS bounded_counter) WITH FUNCTION bounded_counter(bounded_counter, integer, boolean) AS IMPLICIT;
CREATE CAST (bounded_counter AS bigint) WITH FUNCTION bounded_counter_value(bounded_counter) AS IMPLICIT;

CREATE FUNCTION bounded_counter_copy(bounded_counter) RETURNS bounded_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_copy';
CREATE FUNCTION bounded_counter_object(bounded_counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_object';
-- Called by rewritten statements, not by users; the last two arguments are table and column.
CREATE FUNCTION operate(bounded_counter, bigint, tid, oid, oid, integer) RETURNS bounded_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_bounded_counter_operate';
CREATE FUNCTION newest(bounded_counter, tid, oid, integer) RETURNS bounded_counter LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_counter_newest';
CREATE FUNCTION replace(bounded_counter, bounded_counter, tid, oid, oid, integer) RETURNS bounded_counter LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_replace';
CREATE FUNCTION keep(bounded_counter, tid, oid) RETURNS bounded_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_keep';

CREATE FUNCTION bounded_counter_lt(bounded_counter, bounded_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_lt';
CREATE FUNCTION bounded_counter_le(bounded_counter, bounded_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_le';
CREATE FUNCTION bounded_counter_eq(bounded_counter, bounded_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_eq';
CREATE FUNCTION bounded_counter_ge(bounded_counter, bounded_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_ge';
CREATE FUNCTION bounded_counter_gt(bounded_counter, bounded_counter) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_gt';
CREATE FUNCTION bounded_counter_compare(bounded_counter, bounded_counter) RETURNS integer LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_compare';
CREATE FUNCTION bounded_counter_hash(bounded_counter) RETURNS integer LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.hashint8($1::pg_catalog.int8)';
CREATE OPERATOR |<| (FUNCTION = bounded_counter_lt, LEFTARG = bounded_counter, RIGHTARG = bounded_counter, COMMUTATOR = |>|, NEGATOR = |>=|, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR |<=| (FUNCTION = bounded_counter_le, LEFTARG = bounded_counter, RIGHTARG = bounded_counter, COMMUTATOR = |>=|, NEGATOR = |>|, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR |=| (FUNCTION = bounded_counter_eq, LEFTARG = bounded_counter, RIGHTARG = bounded_counter, COMMUTATOR = |=|, HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR |>=| (FUNCTION = bounded_counter_ge, LEFTARG = bounded_counter, RIGHTARG = bounded_counter, COMMUTATOR = |<=|, NEGATOR = |<|, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR |>| (FUNCTION = bounded_counter_gt, LEFTARG = bounded_counter, RIGHTARG = bounded_counter, COMMUTATOR = |<|, NEGATOR = |<=|, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR CLASS bounded_counter_order DEFAULT FOR TYPE bounded_counter USING btree AS
    OPERATOR 1 |<|, OPERATOR 2 |<=|, OPERATOR 3 |=|, OPERATOR 4 |>=|, OPERATOR 5 |>|, FUNCTION 1 bounded_counter_compare(bounded_counter, bounded_counter);
CREATE OPERATOR CLASS bounded_counter_hashing DEFAULT FOR TYPE bounded_counter USING hash AS OPERATOR 1 |=|, FUNCTION 1 bounded_counter_hash(bounded_counter);

CREATE FUNCTION bounded_counter_as_int2(bounded_counter) RETURNS int2 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.int2';
CREATE CAST (bounded_counter AS int2) WITH FUNCTION bounded_counter_as_int2(bounded_counter) AS ASSIGNMENT;
CREATE FUNCTION bounded_counter_as_int4(bounded_counter) RETURNS int4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.int4';
CREATE CAST (bounded_counter AS int4) WITH FUNCTION bounded_counter_as_int4(bounded_counter) AS ASSIGNMENT;
CREATE FUNCTION bounded_counter_as_float4(bounded_counter) RETURNS float4 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.float4';
CREATE CAST (bounded_counter AS float4) WITH FUNCTION bounded_counter_as_float4(bounded_counter) AS ASSIGNMENT;
CREATE FUNCTION bounded_counter_as_float8(bounded_counter) RETURNS float8 LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.float8';
CREATE CAST (bounded_counter AS float8) WITH FUNCTION bounded_counter_as_float8(bounded_counter) AS ASSIGNMENT;
CREATE FUNCTION bounded_counter_as_numeric(bounded_counter) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::pg_catalog.numeric';
CREATE CAST (bounded_counter AS numeric) WITH FUNCTION bounded_counter_as_numeric(bounded_counter) AS ASSIGNMENT;
CREATE FUNCTION bounded_counter_as_json(bounded_counter) RETURNS json LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.to_json($1::pg_catalog.int8)';
CREATE CAST (bounded_counter AS json) WITH FUNCTION bounded_counter_as_json(bounded_counter);
CREATE FUNCTION counter(bounded_counter) RETURNS counter LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::@extschema@.counter';
CREATE FUNCTION bounded_counter(counter) RETURNS bounded_counter LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $1::pg_catalog.int8::@extschema@.bounded_counter';
CREATE CAST (bounded_counter AS counter) WITH FUNCTION counter(bounded_counter) AS ASSIGNMENT;
CREATE CAST (counter AS bounded_counter) WITH FUNCTION bounded_counter(counter) AS ASSIGNMENT;
-- ==== end of bounded_counter ========================================================================

-- ==== types over aggregates =========================================================================
ALTER TABLE slice ADD COLUMN type oid, ADD COLUMN state bytea;

-- Called by rewritten statements, for every type over an aggregate.
CREATE FUNCTION operate(anyelement, anyelement, tid, oid) RETURNS anyelement LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_object_operate';
CREATE FUNCTION newest(anyelement, tid, oid, integer) RETURNS anyelement LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_object_newest';
CREATE FUNCTION replace(anyelement, anyelement, tid, oid) RETURNS anyelement LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_object_replace';
CREATE FUNCTION keep(anyelement, tid, oid) RETURNS anyelement LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_object_keep';
CREATE FUNCTION object_copy(anyelement) RETURNS anyelement LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_object_copy';
CREATE FUNCTION object_of(anyelement) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_id';

-- Makes the type and everything around it. docs/design/types.md says what each part is for.
CREATE FUNCTION make_type(type_schema name, type_name name, over regprocedure, from_value text DEFAULT NULL, new_slice text DEFAULT NULL) RETURNS regtype
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $make$
DECLARE
  made text := format('%I.%I', type_schema, type_name);
  code text := 'LANGUAGE c %s PARALLEL SAFE AS ''$libdir/abelian'', %L';
  aggregate pg_aggregate;
  value pg_type;           -- what the aggregate gives
  state pg_type;           -- in whose form the type is written and read
  is_its_value boolean;    -- any value makes a state
  arguments text;
  part record;
BEGIN
  SELECT * INTO aggregate FROM pg_aggregate WHERE aggfnoid = over::oid;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not an aggregate', over USING ERRCODE = 'wrong_object_type';
  END IF;
  IF EXISTS (SELECT FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
              WHERE NOT r.rolsuper AND p.oid IN (over, aggregate.aggtransfn, aggregate.aggfinalfn, aggregate.aggcombinefn,
                                                 aggregate.aggserialfn, aggregate.aggdeserialfn)) THEN
    RAISE EXCEPTION 'a superuser must own % and its functions', over USING ERRCODE = 'insufficient_privilege',
      DETAIL = 'Whoever reads a column of the type runs them, and so does the folding worker.';
  END IF;
  SELECT t.* INTO STRICT value FROM pg_type t JOIN pg_proc p ON p.prorettype = t.oid WHERE p.oid = over;
  SELECT * INTO STRICT state FROM pg_type
   WHERE oid = CASE WHEN from_value IS NOT NULL THEN value.oid
                    WHEN aggregate.aggtranstype = 'internal'::regtype THEN 'bytea'::regtype
                    ELSE aggregate.aggtranstype END;
  is_its_value := from_value IS NOT NULL OR aggregate.aggfinalfn = 0 AND aggregate.aggtranstype <> 'internal'::regtype;
  SELECT string_agg(format('%I.%I', n.nspname, t.typname), ', ' ORDER BY a.place) INTO arguments
    FROM pg_proc p, unnest(p.proargtypes) WITH ORDINALITY a(type, place), pg_type t, pg_namespace n
   WHERE p.oid = over AND t.oid = a.type AND n.oid = t.typnamespace;

  EXECUTE format('CREATE TYPE %s', made);
  FOR part IN
    SELECT * FROM (VALUES
      ('in', 'cstring', made, 'abelian_object_in', CASE (SELECT provolatile FROM pg_proc WHERE oid = state.typinput) WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END),
      ('out', made, 'cstring', 'abelian_object_out', 'STABLE'),
      ('recv', 'internal', made, 'abelian_object_recv', 'IMMUTABLE'),
      ('send', made, 'bytea', 'abelian_object_send', 'STABLE')) f(suffix, takes, gives, symbol, volatility)
    WHERE (suffix, 0) NOT IN (('recv', state.typreceive::int), ('send', state.typsend::int))
  LOOP
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s ' || code, type_schema, type_name || '_' || part.suffix, part.takes, part.gives,
                   part.volatility || ' STRICT', part.symbol);
  END LOOP;
  EXECUTE format('CREATE TYPE %s (INPUT = %2$I.%3$I, OUTPUT = %2$I.%4$I, %5$s INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended, CATEGORY = %6$L)',
                 made, type_schema, type_name || '_in', type_name || '_out',
                 CASE WHEN state.typreceive <> 0 AND state.typsend <> 0
                   THEN format('RECEIVE = %1$I.%2$I, SEND = %1$I.%3$I,', type_schema, type_name || '_recv', type_name || '_send') ELSE '' END,
                 value.typcategory);
  EXECUTE format('SECURITY LABEL FOR abelian ON TYPE %s IS %L', made,
                 (SELECT concat_ws('; ', format('%I.%I(%s)', n.nspname, p.proname, coalesce(arguments, '')), 'from ' || from_value, 'slice ' || new_slice) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                   WHERE p.oid = over));
  PERFORM abelian.make_casts(type_schema, type_name, value.oid, is_its_value);
  IF EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod
              WHERE m.amname = 'btree' AND c.opcdefault
                AND (c.opcintype = value.oid OR value.typcategory = 'A' AND c.opcintype = 'anyarray'::regtype)) THEN
    PERFORM abelian.make_order(type_schema, type_name, value.oid);
  END IF;
  EXECUTE format('CREATE FUNCTION abelian.add(%s) RETURNS %s ' || code, concat_ws(', ', made, arguments), made, 'STABLE', 'abelian_object_apply');
  EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.add(%s) IS ''operation''', concat_ws(', ', made, arguments));
  RETURN made::regtype;
END $make$;

-- The casts to and from the value type, and those that the value type has to and from others of its kind.
CREATE FUNCTION make_casts(type_schema name, type_name name, value oid, is_its_value boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  made text := format('%I.%I', type_schema, type_name);
  plain text := (SELECT format('%I.%I', n.nspname, t.typname) FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = value);
  code text := 'LANGUAGE c STABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L';
  inlined text := 'LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L';
  other record;
BEGIN
  EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s ' || code, type_schema, type_name || '_value', made, plain, 'abelian_object_value');
  EXECUTE format('CREATE CAST (%s AS %s) WITH FUNCTION %I.%I(%1$s) AS IMPLICIT', made, plain, type_schema, type_name || '_value');
  IF is_its_value THEN
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s ' || replace(code, 'STABLE', 'IMMUTABLE'), type_schema, type_name || '_from', plain, made, 'abelian_object_make');
    EXECUTE format('CREATE CAST (%s AS %s) WITH FUNCTION %I.%I(%1$s) AS IMPLICIT', plain, made, type_schema, type_name || '_from');
  END IF;
  FOR other IN
    SELECT format('%I.%I', n.nspname, t.typname) AS name, t.typname, c.castsource = value AS outwards, c.castcontext
      FROM pg_cast c JOIN pg_type t ON t.oid IN (c.castsource, c.casttarget) AND t.oid <> value JOIN pg_namespace n ON n.oid = t.typnamespace
     WHERE value IN (c.castsource, c.casttarget) AND t.oid < 16384 AND value < 16384 AND t.typcategory = (SELECT typcategory FROM pg_type WHERE oid = value)
       AND t.typname NOT LIKE 'reg%' AND t.typname NOT IN ('oid', 'money', 'char', 'name')
  LOOP
    IF other.outwards THEN
      EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s ' || inlined, type_schema, type_name || '_as_' || other.typname, made, other.name,
                     format('SELECT $1::%s::%s', plain, other.name));
      EXECUTE format('CREATE CAST (%s AS %s) WITH FUNCTION %I.%I(%1$s) AS ASSIGNMENT', made, other.name, type_schema, type_name || '_as_' || other.typname);
    ELSIF is_its_value THEN
      EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s ' || inlined, type_schema, type_name || '_from', other.name, made,
                     format('SELECT $1::%s::%s', plain, made));
      EXECUTE format('CREATE CAST (%s AS %s) WITH FUNCTION %I.%I(%1$s) AS %5$s', other.name, made, type_schema, type_name || '_from',
                     CASE other.castcontext WHEN 'i' THEN 'IMPLICIT' ELSE 'ASSIGNMENT' END);
    END IF;
  END LOOP;
  IF NOT is_its_value AND value <> 'text'::regtype THEN
    -- What the type itself is written as is its state.
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS text ' || inlined, type_schema, type_name || '_as_text', made,
                   format('SELECT $1::%s::text', plain));
    EXECUTE format('CREATE CAST (%s AS text) WITH FUNCTION %I.%I(%1$s) AS ASSIGNMENT', made, type_schema, type_name || '_as_text');
  END IF;
  IF value NOT IN ('json'::regtype, 'jsonb'::regtype) THEN
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS json ' || inlined, type_schema, type_name || '_as_json', made,
                   format('SELECT pg_catalog.to_json($1::%s)', plain));
    EXECUTE format('CREATE CAST (%s AS json) WITH FUNCTION %I.%I(%1$s)', made, type_schema, type_name || '_as_json');
  END IF;
END $make$;

-- Order, equality and hashing of the values, by operators with names of their own, so that `c = $1` means the value type.
CREATE FUNCTION make_order(type_schema name, type_name name, value oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  made text := format('%I.%I', type_schema, type_name);
  part record;
BEGIN
  FOR part IN SELECT * FROM (VALUES
      ('|<|', 'lt', '|>|', '|>=|', 'RESTRICT = scalarltsel, JOIN = scalarltjoinsel'),
      ('|<=|', 'le', '|>=|', '|>|', 'RESTRICT = scalarlesel, JOIN = scalarlejoinsel'),
      ('|=|', 'eq', '|=|', NULL, 'HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel'),
      ('|>=|', 'ge', '|<=|', '|<|', 'RESTRICT = scalargesel, JOIN = scalargejoinsel'),
      ('|>|', 'gt', '|<|', '|<=|', 'RESTRICT = scalargtsel, JOIN = scalargtjoinsel'),
      (NULL, 'compare', NULL, NULL, NULL), (NULL, 'hash', NULL, NULL, NULL)) o(operator, name, commutator, negator, options)
  LOOP
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE c STABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L',
                   type_schema, type_name || '_' || part.name, CASE part.name WHEN 'hash' THEN made ELSE made || ', ' || made END,
                   CASE WHEN part.operator IS NULL THEN 'integer' ELSE 'boolean' END, 'abelian_object_' || part.name);
    IF part.operator IS NOT NULL THEN
      EXECUTE format('CREATE OPERATOR abelian.%s (FUNCTION = %I.%I, LEFTARG = %s, RIGHTARG = %4$s, COMMUTATOR = OPERATOR(abelian.%5$s), %6$s %7$s)',
                     part.operator, type_schema, type_name || '_' || part.name, made, part.commutator,
                     CASE WHEN part.negator IS NULL THEN '' ELSE format('NEGATOR = OPERATOR(abelian.%s),', part.negator) END, part.options);
    END IF;
  END LOOP;
  EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING btree AS
                    OPERATOR 1 abelian.|<|, OPERATOR 2 abelian.|<=|, OPERATOR 3 abelian.|=|, OPERATOR 4 abelian.|>=|, OPERATOR 5 abelian.|>|,
                    FUNCTION 1 %1$I.%4$I(%3$s, %3$s)', type_schema, type_name || '_order', made, type_name || '_compare');
  IF EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod WHERE m.amname = 'hash' AND c.opcdefault AND c.opcintype = value) THEN
    EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 %1$I.%4$I(%3$s)',
                   type_schema, type_name || '_hashing', made, type_name || '_hash');
  END IF;
END $make$;
REVOKE ALL ON FUNCTION make_type(name, name, regprocedure, text, text), make_casts(name, name, oid, boolean), make_order(name, name, oid) FROM PUBLIC;

-- For users: the type goes where CREATE TYPE would put it, and the aggregate is found as in a query.
CREATE FUNCTION create_type(name text, aggregate text) RETURNS regtype LANGUAGE plpgsql AS $create$
DECLARE
  parts text[] := pg_catalog.parse_ident(name);
  found regprocedure := pg_catalog.to_regprocedure(pg_catalog.replace(aggregate, '(*)', '()'));
BEGIN
  IF found IS NULL THEN
    RAISE EXCEPTION 'aggregate % does not exist', aggregate USING ERRCODE = 'undefined_function',
      HINT = 'Name it with its argument types, as in max(numeric).';
  ELSIF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) current_user) THEN
    RAISE EXCEPTION 'must be superuser to create a type over an aggregate' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN CASE pg_catalog.array_length(parts, 1)
    WHEN 1 THEN abelian.make_type(pg_catalog.current_schema(), parts[1]::name, found)
    ELSE abelian.make_type(parts[1]::name, parts[2]::name, found) END;
END $create$;
COMMENT ON FUNCTION create_type(text, text) IS 'makes a column type of a parallel-safe aggregate: create_type(''high_bid'', ''max(numeric)'')';

DO $$
BEGIN
  PERFORM abelian.make_type('abelian', t.name, t.over::regprocedure) FROM (VALUES
    ('max', 'pg_catalog.max(bigint)'), ('min', 'pg_catalog.min(bigint)'),
    ('max_numeric', 'pg_catalog.max(numeric)'), ('min_numeric', 'pg_catalog.min(numeric)'),
    ('max_timestamptz', 'pg_catalog.max(timestamptz)'), ('min_timestamptz', 'pg_catalog.min(timestamptz)'),
    ('max_text', 'pg_catalog.max(text)'), ('min_text', 'pg_catalog.min(text)'),
    ('bool_or', 'pg_catalog.bool_or(boolean)'), ('bool_and', 'pg_catalog.bool_and(boolean)')) t(name, over);
END $$;

-- ---- collections and summaries. A state is bytea, in the encoding of the algebra; the library has its functions.
DO $$
DECLARE
  part record;
  empty bytea;
BEGIN
  FOR part IN SELECT * FROM (VALUES
      ('set', 'text', 'text[]', 'STRICT'),
      ('multiset', 'text, bigint', 'jsonb', 'STRICT'),
      ('scored_set', 'text, numeric', 'jsonb', 'STRICT'),
      ('top_k', 'numeric, text', 'jsonb', 'STRICT'),
      ('ordered_put', 'numeric, text', 'text', ''),
      ('summary_bag', 'numeric', NULL, 'STRICT')) p(name, arguments, value, null_rule)
  LOOP
    EXECUTE format('CREATE FUNCTION %I() RETURNS bytea LANGUAGE c IMMUTABLE PARALLEL SAFE AS ''$libdir/abelian'', %L', part.name || '_empty', 'abelian_' || part.name || '_empty');
    EXECUTE format('CREATE FUNCTION %I(bytea, bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L',
                   part.name || '_merge', 'abelian_' || part.name || '_merge');
    EXECUTE format('CREATE FUNCTION %I(bytea, %s) RETURNS bytea LANGUAGE c IMMUTABLE %s PARALLEL SAFE AS ''$libdir/abelian'', %L',
                   part.name || '_step', part.arguments, part.null_rule, 'abelian_' || part.name || '_step');
    IF part.value IS NOT NULL THEN
      EXECUTE format('CREATE FUNCTION %I(bytea) RETURNS %s LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L',
                     part.name || '_value', part.value, 'abelian_' || part.name || '_value');
    ELSE
      CREATE FUNCTION summary_bag_figure(bytea, text) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS '$libdir/abelian', 'abelian_summary_bag_figure';
      CREATE FUNCTION summary_bag_value(bytea) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
        'SELECT jsonb_object_agg(name, abelian.summary_bag_figure($1, name)) FROM unnest(''{count,sum,mean,var_pop,var_samp,min,max}''::text[]) name';
    END IF;
    EXECUTE format('SELECT %I()', part.name || '_empty') INTO empty;
    EXECUTE format('CREATE AGGREGATE %I(%s) (SFUNC = %I, STYPE = bytea, FINALFUNC = %I, COMBINEFUNC = %I, INITCOND = %L, PARALLEL = SAFE)',
                   part.name || '_of', part.arguments, part.name || '_step', part.name || '_value', part.name || '_merge', empty::text);
    EXECUTE format('CREATE AGGREGATE %I(%s) (SFUNC = %I, STYPE = bytea, COMBINEFUNC = %I, INITCOND = %L, PARALLEL = SAFE)',
                   part.name || '_state', part.arguments, part.name || '_step', part.name || '_merge', empty::text);
  END LOOP;
END $$;

CREATE FUNCTION top_k_cut(bytea, integer) RETURNS bytea LANGUAGE c IMMUTABLE PARALLEL SAFE STRICT AS 'MODULE_PATHNAME', 'abelian_top_k_cut';
CREATE FUNCTION top_k_slice(bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_top_k_slice';
CREATE FUNCTION ordered_put_order(bytea) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_ordered_put_order';

-- What a value says about the state.
CREATE FUNCTION set_state_of(text[]) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  'SELECT abelian.set_state(x) FROM unnest($1) x';
CREATE FUNCTION multiset_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  'SELECT abelian.multiset_state(key, value::bigint) FROM jsonb_each_text($1)';
CREATE FUNCTION scored_set_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  'SELECT abelian.scored_set_state(key, value::numeric) FROM jsonb_each_text($1)';
CREATE FUNCTION top_k_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  $$ SELECT CASE WHEN $1 ->> 'k' IS NULL THEN state ELSE abelian.top_k_cut(state, ($1 ->> 'k')::integer) END
       FROM (SELECT abelian.top_k_state((pair ->> 'score')::numeric, pair ->> 'item') AS state FROM jsonb_array_elements(CASE jsonb_typeof($1) WHEN 'object' THEN $1 -> 'top' ELSE $1 END) pair) s $$;

DO $$
BEGIN
  PERFORM abelian.make_type('abelian', 'set', 'abelian.set_of(text)', 'abelian.set_state_of(pg_catalog._text)');
  PERFORM abelian.make_type('abelian', 'multiset', 'abelian.multiset_of(text, bigint)', 'abelian.multiset_state_of(pg_catalog.jsonb)');
  PERFORM abelian.make_type('abelian', 'scored_set', 'abelian.scored_set_of(text, numeric)', 'abelian.scored_set_state_of(pg_catalog.jsonb)');
  PERFORM abelian.make_type('abelian', 'top_k', 'abelian.top_k_of(numeric, text)', 'abelian.top_k_state_of(pg_catalog.jsonb)', 'abelian.top_k_slice(pg_catalog.bytea)');
  PERFORM abelian.make_type('abelian', 'ordered_put', 'abelian.ordered_put_of(numeric, text)');
  PERFORM abelian.make_type('abelian', 'summary_bag', 'abelian.summary_bag_of(numeric)');
END $$;

-- Operations beside abelian.add.
CREATE FUNCTION add(multiset, text) RETURNS multiset LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT abelian.add($1, $2, 1::pg_catalog.int8)';
SECURITY LABEL FOR abelian ON FUNCTION add(multiset, text) IS 'operation';
CREATE FUNCTION put(ordered_put, numeric, text) RETURNS ordered_put LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_apply';
SECURITY LABEL FOR abelian ON FUNCTION put(ordered_put, numeric, text) IS 'operation';
CREATE FUNCTION put(ordered_put, timestamptz, text) RETURNS ordered_put LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT abelian.put($1, EXTRACT(epoch FROM $2), $3)';
SECURITY LABEL FOR abelian ON FUNCTION put(ordered_put, timestamptz, text) IS 'operation';

-- Changes that must know the value, and so overwrite it.
CREATE FUNCTION remove(set, text) RETURNS set LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.array_remove($1::pg_catalog.text[], $2)::abelian.set';
CREATE FUNCTION remove(multiset, text, bigint DEFAULT 1) RETURNS multiset LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT CASE WHEN $3 <= 0 THEN abelian.add($1, $2, $3) -- for its error
                 WHEN abelian.count($1, $2) > $3 THEN (($1::pg_catalog.jsonb) || pg_catalog.jsonb_build_object($2, abelian.count($1, $2) - $3))::abelian.multiset
                 ELSE (($1::pg_catalog.jsonb) - $2)::abelian.multiset END $$;
CREATE FUNCTION remove(scored_set, text) RETURNS scored_set LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT (($1::pg_catalog.jsonb) - $2)::abelian.scored_set';
CREATE FUNCTION put(scored_set, text, numeric) RETURNS scored_set LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT (($1::pg_catalog.jsonb) || pg_catalog.jsonb_build_object($2, $3))::abelian.scored_set';

-- Accessors.
CREATE FUNCTION size(set) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.cardinality($1::pg_catalog.text[])::pg_catalog.int8';
CREATE FUNCTION contains(set, text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT $2 = ANY ($1::pg_catalog.text[])';
CREATE FUNCTION count(multiset, text) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT coalesce((($1::pg_catalog.jsonb) ->> $2)::pg_catalog.int8, 0)';
CREATE FUNCTION contains(multiset, text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT ($1::pg_catalog.jsonb) ? $2';
CREATE FUNCTION size(multiset) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT coalesce(sum(value::pg_catalog.int8), 0) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE FUNCTION distinct_size(multiset) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT count(*) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE FUNCTION score(scored_set, text) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT (($1::pg_catalog.jsonb) ->> $2)::pg_catalog.numeric';
CREATE FUNCTION contains(scored_set, text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT ($1::pg_catalog.jsonb) ? $2';
CREATE FUNCTION size(scored_set) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT count(*) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE FUNCTION top(scored_set, integer) RETURNS TABLE (item text, score numeric) LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT key, value::pg_catalog.numeric FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb) ORDER BY 2 DESC, key COLLATE pg_catalog."C" LIMIT $2';
CREATE FUNCTION range(scored_set, numeric, numeric) RETURNS TABLE (item text, score numeric) LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT key, value::pg_catalog.numeric FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb) WHERE value::pg_catalog.numeric BETWEEN $2 AND $3 ORDER BY 2, key COLLATE pg_catalog."C"';
CREATE FUNCTION top_k(integer) RETURNS top_k LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
  $$ SELECT pg_catalog.jsonb_build_object('k', $1, 'top', '[]'::pg_catalog.jsonb)::abelian.top_k $$;
CREATE FUNCTION size(top_k) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT pg_catalog.jsonb_array_length(($1::pg_catalog.jsonb) -> 'top')::pg_catalog.int8 $$;
CREATE FUNCTION top(top_k, integer DEFAULT NULL) RETURNS TABLE (score numeric, item text) LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT (pair ->> 'score')::pg_catalog.numeric, pair ->> 'item'
       FROM pg_catalog.jsonb_array_elements(($1::pg_catalog.jsonb) -> 'top') WITH ORDINALITY p(pair, place) ORDER BY place LIMIT $2 $$;
CREATE FUNCTION ordered_put_stored(ordered_put) RETURNS bytea LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_state';
CREATE FUNCTION order_of(ordered_put) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT abelian.ordered_put_order(abelian.ordered_put_stored($1))';
CREATE FUNCTION summary_bag_stored(summary_bag) RETURNS bytea LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_state';
CREATE FUNCTION count(summary_bag) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'count')::pg_catalog.int8 $$;
CREATE FUNCTION sum(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'sum') $$;
CREATE FUNCTION mean(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'mean') $$;
CREATE FUNCTION var_pop(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'var_pop') $$;
CREATE FUNCTION var_samp(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'var_samp') $$;
CREATE FUNCTION min(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'min') $$;
CREATE FUNCTION max(summary_bag) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$ SELECT abelian.summary_bag_figure(abelian.summary_bag_stored($1), 'max') $$;
-- ==== end of types over aggregates ==================================================================
