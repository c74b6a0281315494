-- as: abelian
-- The laws of types over aggregates: those of the extension keep them, and each way to break one is found.
\set QUIET on
SET client_min_messages = warning;
CREATE FUNCTION broken(type regtype, samples text[] DEFAULT NULL) RETURNS SETOF text LANGUAGE sql AS
  'SELECT law FROM abelian.check_laws($1, $2) WHERE NOT holds AND counterexample IS NOT NULL';
CREATE FUNCTION twice_and(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT 2 * $1 + $2';
CREATE FUNCTION middle(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT ($1 + $2) / 2';
CREATE FUNCTION take(bigint[], bigint) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT ARRAY[$1[1] + $2, $1[2] + 1]';
CREATE FUNCTION both_of(bigint[], bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT ARRAY[$1[1] + $2[1], $1[2] + $2[2]]';
CREATE FUNCTION mean(bigint[]) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT round($1[1]::numeric / nullif($1[2], 0), 3)';
CREATE FUNCTION as_mean(numeric) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT ARRAY[$1, 1]::bigint[]';
\set QUIET off

-- those that keep them
SELECT t, array(SELECT broken(t::regtype)) FROM unnest('{abelian.max, abelian.min, abelian.bool_or, abelian.bool_and, abelian.set, abelian.multiset, abelian.set_int8, abelian.max_date, abelian.min_uuid, abelian.sum_interval}'::text[]) t;
SELECT abelian.create_type('mean_of', 'avg(numeric)'), abelian.create_type('hits', 'count(*)');
SELECT broken('mean_of');
SELECT broken('hits');
-- the order shows
CREATE AGGREGATE chain(text) (SFUNC = textcat, STYPE = text, COMBINEFUNC = textcat, INITCOND = '', PARALLEL = SAFE);
SELECT abelian.create_type('chained', 'chain(text)');
SELECT broken('chained');
-- the grouping shows
CREATE AGGREGATE halfway(bigint) (SFUNC = middle, STYPE = bigint, COMBINEFUNC = middle, PARALLEL = SAFE);
SELECT abelian.create_type('halved', 'halfway(bigint)');
SELECT broken('halved');
-- nothing is something
CREATE AGGREGATE from_five(bigint) (SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '5', PARALLEL = SAFE);
SELECT abelian.create_type('fived', 'from_five(bigint)');
SELECT broken('fived');
-- adding is not combining
CREATE AGGREGATE growing(bigint) (SFUNC = twice_and, STYPE = bigint, COMBINEFUNC = int8pl, INITCOND = '0', PARALLEL = SAFE);
SELECT abelian.create_type('grown', 'growing(bigint)');
SELECT broken('grown');
-- what is written is less than what there is
CREATE AGGREGATE mean(bigint) (SFUNC = take, STYPE = bigint[], COMBINEFUNC = both_of, FINALFUNC = mean, INITCOND = '{0,0}', PARALLEL = SAFE);
SELECT abelian.make_type('public', 'forgetful', 'mean(bigint)'::regprocedure, 'public.as_mean(numeric)');
SELECT broken('forgetful');
-- a counterexample that can be followed
SELECT counterexample ~ '^A: add\(.*; B: add\(.*; C: add\(.* against ' AS told FROM abelian.check_laws('chained') WHERE law = 'combining is commutative';
-- samples
SELECT bool_and(holds) FROM abelian.check_laws('abelian.scored_set', ARRAY['''a'', 1', '''b'', 2', '''a'', -3'], 50);
SELECT abelian.create_type('addresses', 'max(inet)');
SELECT broken('addresses');
CREATE AGGREGATE any_point(point) (SFUNC = point_add, STYPE = point, COMBINEFUNC = point_add, INITCOND = '(0,0)', PARALLEL = SAFE);
SELECT abelian.create_type('places', 'any_point(point)');
SELECT abelian.check_laws('places');
SELECT broken('places', ARRAY['point(1,2)', 'point(-3,4)']);
-- others
SELECT abelian.check_laws('abelian.counter');
SELECT abelian.check_laws('text');
SET ROLE app;
SELECT abelian.check_laws('abelian.max');
RESET ROLE;
SELECT abelian.merged(abelian.add(NULL::abelian.max, 3), abelian.add(NULL::abelian.max, 5)), abelian.merged(NULL::abelian.max, NULL);
SELECT abelian.merged(1, 2);
