-- as: abelian
-- Types over aggregates whose states are serialized: what is no state is refused with 22P02, and a state comes back.
SET client_min_messages = warning;
SELECT abelian.create_type('average', 'avg(numeric)'), abelian.create_type('spread', 'variance(bigint)');
CREATE PROCEDURE try(value text, type text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('SELECT %L::%s', value, type);
  RAISE WARNING '% is read as %', value, type;
EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %: % %', type, value, SQLSTATE, SQLERRM;
END $$;
CALL try('\x', 'average');
CALL try('\x00', 'average');
CALL try('\xffffffffffffffffffffffffffffffffffffffff', 'average');
CALL try('no state at all', 'average');
CALL try('hello', 'spread');
CALL try('\xffffffff', 'spread');
SELECT format('%s', abelian.add(abelian.add(NULL::average, 1), 4))::average::numeric AS mean;
SELECT '2.5'::average;
