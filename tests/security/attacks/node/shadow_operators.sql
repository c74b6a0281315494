-- A superuser who has a stranger's schema in his path calls functions of the extension: nothing of the stranger's is found by them.
CREATE TABLE strangers.called (what text);
GRANT INSERT ON strangers.called TO PUBLIC;
CREATE FUNCTION strangers.trap(jsonb, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in trap'); RETURN 'x'; END $$;
CREATE FUNCTION strangers.trap_boolean(jsonb, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in trap_boolean'); RETURN true; END $$;
CREATE FUNCTION strangers.trap_equal(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in trap_equal'); RETURN true; END $$;
CREATE FUNCTION strangers.trap_compare(numeric, numeric) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in trap_compare'); RETURN true; END $$;
CREATE FUNCTION strangers.trap_oid(oid, oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in trap_oid'); RETURN true; END $$;
CREATE OPERATOR strangers.->> (FUNCTION = strangers.trap, LEFTARG = jsonb, RIGHTARG = text);
CREATE OPERATOR strangers.? (FUNCTION = strangers.trap_boolean, LEFTARG = jsonb, RIGHTARG = text);
CREATE OPERATOR strangers.= (FUNCTION = strangers.trap_equal, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR strangers.<> (FUNCTION = strangers.trap_equal, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR strangers.>= (FUNCTION = strangers.trap_compare, LEFTARG = numeric, RIGHTARG = numeric);
CREATE OPERATOR strangers.<= (FUNCTION = strangers.trap_compare, LEFTARG = numeric, RIGHTARG = numeric);
CREATE OPERATOR strangers.= (FUNCTION = strangers.trap_oid, LEFTARG = oid, RIGHTARG = oid);
CREATE FUNCTION strangers.count() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in count'); RETURN 1; END $$;
CREATE FUNCTION strangers.jsonb_object_agg(text, numeric) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in jsonb_object_agg'); RETURN '{}'; END $$;
CREATE FUNCTION strangers.unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in unnest'); RETURN NEXT 'sum'; END $$;
CREATE FUNCTION strangers.sum(bigint) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN INSERT INTO strangers.called VALUES (current_user || ' in sum'); RETURN 1; END $$;
CREATE DOMAIN strangers.text AS pg_catalog.text CHECK (strangers.trap(NULL, NULL) IS NOT NULL);
GRANT USAGE ON SCHEMA strangers TO PUBLIC;
-- as: abelian
SET search_path = strangers, pg_catalog;
SELECT abelian.get('{"a":"b"}'::jsonb::abelian.dict, 'a'), abelian.contains('{"a":"b"}'::jsonb::abelian.dict, 'a'), abelian.size('{"a":"b"}'::jsonb::abelian.dict), abelian.keys('{"a":"b"}'::jsonb::abelian.dict);
--= b|t|1|{a}
SELECT abelian.contains('{a}'::pg_catalog.text[]::abelian.set, 'b'), abelian.size('{a}'::pg_catalog.text[]::abelian.set);
--= f|1
SELECT abelian.count('{"a":2}'::jsonb::abelian.multiset, 'a'), abelian.contains('{"a":2}'::jsonb::abelian.multiset, 'b'), abelian.size('{"a":2}'::jsonb::abelian.multiset), abelian.distinct_size('{"a":2}'::jsonb::abelian.multiset);
--= 2|f|2|1
SELECT abelian.score('{"a":2}'::jsonb::abelian.scored_set, 'a'), abelian.contains('{"a":2}'::jsonb::abelian.scored_set, 'b'), abelian.size('{"a":2}'::jsonb::abelian.scored_set);
--= 2|f|1
SELECT * FROM abelian.range('{"a":2}'::jsonb::abelian.scored_set, 3, 4);
SELECT abelian.size(abelian.add(abelian.top_k(1), 1, 'x')), abelian.top(abelian.add(abelian.top_k(1), 1, 'x'));
--= 1|(1,x)
SELECT abelian.add(NULL::abelian.summary_bag, 5)::jsonb OPERATOR(pg_catalog.->) 'sum';
--= 5
SELECT abelian.summary_bag_value(abelian.summary_bag_empty()) IS NULL, pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 FROM abelian.explain_procedure('victims.pay(int,int)');
--= f|t
SELECT problem FROM abelian.preflight();
SELECT create_distributed_table('victims.account', 'id');
--! 55000
SELECT create_distributed_procedure('victims.pay(int,int)', 'account_id', 'victims.orders');
--! 55000
SELECT abelian.create_type('strangers.high', 'max(pg_catalog.int8)') IS NULL;
--= f
CREATE TABLE strangers.own (i int);
DROP TABLE strangers.own;
SELECT pg_catalog.count(*) FROM abelian.waits;
--= 0
SELECT what FROM strangers.called;
