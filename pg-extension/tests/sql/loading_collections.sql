-- Arrays and jsonb become collections as a whole: what they hold, with NULLs and repetitions, and large ones; add_all of many. What is no state is refused.
SET client_min_messages = warning;
SELECT '{b,a,NULL,b}'::text[]::abelian.set, '{3,1,3}'::int8[]::abelian.set_int8, '{}'::text[]::abelian.set AS none, '{"x": 2, "y": null}'::abelian.multiset, '{}'::abelian.multiset AS empty,
  '{"x": 0.50, "y": null}'::abelian.scored_set, '{"k": "v", "n": null, "j": [1]}'::abelian.dict, '{}'::abelian.dict AS no_keys;
CREATE TABLE loaded (id int PRIMARY KEY, s abelian.set, m abelian.multiset, z abelian.scored_set, d abelian.dict, k abelian.top_k);
INSERT INTO loaded SELECT 1, array_agg('e' || i), jsonb_object_agg('e' || i, i), jsonb_object_agg('e' || i, i), jsonb_object_agg('e' || i, i), jsonb_agg(jsonb_build_object('score', i, 'item', 'e' || i)) FROM generate_series(1, 50000) i;
SELECT abelian.size(s) AS s, abelian.size(m) AS m, abelian.size(z) AS z, abelian.size(d) AS d, abelian.size(k) AS k,
  abelian.contains(s, 'e777') AS has, abelian.count(m, 'e777') AS count, abelian.score(z, 'e777') AS score, abelian.get(d, 'e777') AS value, (SELECT t.item FROM abelian.top(k, 1) t) AS first FROM loaded;
-- What was loaded is a state like any other: put, remove and add go on from there.
UPDATE loaded SET s = abelian.remove(s, 'e1'), m = abelian.remove(m, 'e2', 1), z = abelian.add(z, 'e3', 0.5), d = abelian.put(d, 'e4', 'new');
SELECT abelian.contains(s, 'e1') AS has, abelian.count(m, 'e2') AS count, abelian.score(z, 'e3') AS score, abelian.get(d, 'e4') AS value FROM loaded;
-- Many elements in one operation, in the row and in a slice.
CREATE TABLE filled (way text PRIMARY KEY, s abelian.set DEFAULT '{}', z abelian.scored_set DEFAULT '{}');
INSERT INTO filled VALUES ('row'), ('slice');
CREATE PROCEDURE fill(chosen text) LANGUAGE sql AS $$
  UPDATE filled SET s = abelian.add_all(s, ARRAY(SELECT 'e' || i % 5000 FROM generate_series(1, 6000) i)),
                    z = abelian.add_all(z, ARRAY(SELECT 'e' || i % 5000 FROM generate_series(1, 6000) i), ARRAY(SELECT 1::numeric FROM generate_series(1, 6000))) WHERE way = chosen $$;
CALL fill('row');
SET abelian.split = always;
CALL fill('slice');
RESET abelian.split;
SELECT way, abelian.size(s), abelian.size(z), abelian.score(z, 'e7') AS e7, abelian.score(z, 'e2000') AS e2000 FROM filled ORDER BY way;
-- Errors are those of the single elements.
DO $$ DECLARE one text; BEGIN
  FOREACH one IN ARRAY ARRAY['abelian.multiset ''{"x": 0}''', 'abelian.scored_set ''{"x": "NaN"}''', 'abelian.multiset_from_arrays(''{a}'', ''{1,2}'')', 'abelian.multiset ''{"x": "many"}'''] LOOP
    BEGIN
      EXECUTE 'SELECT ' || one;
    EXCEPTION WHEN OTHERS THEN RAISE WARNING '%: % %', one, SQLSTATE, SQLERRM;
    END;
  END LOOP;
END $$;
