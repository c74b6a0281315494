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
