-- The objects of extension abelian 0.1.0. Each room has its section between banners.
\echo Use "CREATE EXTENSION abelian" to load this file. \quit

-- ==== types, objects, locks =========================================================================
GRANT USAGE ON SCHEMA abelian TO PUBLIC;

CREATE SEQUENCE object_id AS bigint CACHE 32;

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
COMMENT ON TABLE slice IS 'parts of split objects: the value is the base in the row plus all slices';

CREATE TYPE counter;
CREATE FUNCTION counter_in(cstring)   RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_in';
CREATE FUNCTION counter_out(counter)  RETURNS cstring LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_out';
CREATE FUNCTION counter_recv(internal) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_recv';
CREATE FUNCTION counter_send(counter) RETURNS bytea   LANGUAGE c STABLE    STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_send';
CREATE TYPE counter (
    INPUT = counter_in, OUTPUT = counter_out, RECEIVE = counter_recv, SEND = counter_send,
    INTERNALLENGTH = 16, ALIGNMENT = double, STORAGE = plain
);
COMMENT ON TYPE counter IS 'bigint whose additions commute';

CREATE FUNCTION counter(smallint) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int2';
CREATE FUNCTION counter(integer)  RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int4';
CREATE FUNCTION counter(bigint)   RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_int8';
CREATE FUNCTION counter(numeric)  RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_numeric';
CREATE FUNCTION counter(double precision) RETURNS counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_from_float8';
CREATE FUNCTION counter_value(counter) RETURNS bigint LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_value';
CREATE CAST (smallint AS counter) WITH FUNCTION counter(smallint) AS ASSIGNMENT;
CREATE CAST (integer AS counter) WITH FUNCTION counter(integer) AS ASSIGNMENT;
CREATE CAST (bigint AS counter) WITH FUNCTION counter(bigint) AS ASSIGNMENT;
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
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = plain
);
COMMENT ON TYPE decimal_counter IS 'numeric whose additions commute';

CREATE FUNCTION decimal_counter(smallint) RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int2';
CREATE FUNCTION decimal_counter(integer)  RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int4';
CREATE FUNCTION decimal_counter(bigint)   RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_int8';
CREATE FUNCTION decimal_counter(numeric)  RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_numeric';
CREATE FUNCTION decimal_counter(double precision) RETURNS decimal_counter LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_from_float8';
CREATE FUNCTION decimal_counter_value(decimal_counter) RETURNS numeric LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_value';
CREATE CAST (smallint AS decimal_counter) WITH FUNCTION decimal_counter(smallint) AS ASSIGNMENT;
CREATE CAST (integer AS decimal_counter) WITH FUNCTION decimal_counter(integer) AS ASSIGNMENT;
CREATE CAST (bigint AS decimal_counter) WITH FUNCTION decimal_counter(bigint) AS ASSIGNMENT;
CREATE CAST (numeric AS decimal_counter) WITH FUNCTION decimal_counter(numeric) AS ASSIGNMENT;
CREATE CAST (double precision AS decimal_counter) WITH FUNCTION decimal_counter(double precision) AS ASSIGNMENT;
CREATE CAST (decimal_counter AS numeric) WITH FUNCTION decimal_counter_value(decimal_counter) AS IMPLICIT;

CREATE FUNCTION decimal_counter_newest_value(decimal_counter) RETURNS numeric LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_newest_value';
CREATE FUNCTION decimal_counter_add(decimal_counter, numeric) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_add';
CREATE FUNCTION decimal_counter_subtract(decimal_counter, numeric) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_subtract';
CREATE FUNCTION decimal_counter_copy(decimal_counter) RETURNS decimal_counter LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_decimal_counter_copy';
CREATE FUNCTION decimal_counter_object(decimal_counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_object';
-- ==== end of types, objects, locks ==================================================================

-- ==== operations ====================================================================================
-- ==== end of operations =============================================================================

-- ==== cluster =======================================================================================
-- ==== end of cluster ================================================================================
