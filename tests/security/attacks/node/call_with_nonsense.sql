-- Functions that anybody may call, with arguments that nobody gives: errors, never a crash.
SELECT abelian.row_key(0, '(0,1)');
SELECT abelian.row_key(4294967295, '(4294967295,65535)');
SELECT abelian.object_column(0, '(0,1)', 1);
SELECT abelian.object_column(4294967295, '(0,2)', 9223372036854775807);
SELECT abelian.object_column('pg_class'::regclass, '(4294967295,0)', 1);
SELECT abelian.object_column('victims.page_pkey'::regclass, '(0,1)', 1);
SELECT abelian.row_key('pg_locks'::regclass, '(0,1)');
SELECT abelian.object_of(1);
--! 22023
SELECT abelian.object_of('x'::text);
--! 22023
SELECT abelian.object_copy(ROW(1, 2));
--! 22023
SELECT abelian.object_copy('{1}'::int[]);
--! 22023
SELECT abelian.operate(1::text, 2::text, '(0,1)', 0);
--! 42501
SELECT abelian.replace('x'::text, 'y'::text, '(0,1)', 0);
--! 42501
SELECT abelian.figure('x');
SELECT abelian.waiting_at(-1, -1, -1);
--= (,,,)
SELECT abelian.waiting_at_gate(2147483647);
--= (,,,,)
SELECT abelian.waiting_for_element(0, 65535, 1);
SELECT abelian.object_place(-1);
--= (,)
SELECT abelian.is_local(0, 1), abelian.is_local(4294967295, ROW(1));
--= t|t
SELECT abelian.class_of_body(0);
--= coordinated
SELECT abelian.combined(1::bigint);
--! 0A000
SELECT abelian.top_k(-1);
--! 22023
SELECT abelian.set_merge('\x00', '\x00');
--! 22P03
SELECT abelian.set_merge(abelian.set_empty(), abelian.dict_empty());
--! 22P03
SELECT abelian.top_items_merge(abelian.top_items_empty(), abelian.top_k_empty());
--! 22P03
SELECT abelian.top_items_merge(abelian.top_items_empty(), abelian.bottom_items_empty());
--! 22P03
SELECT abelian.dict_from_arrays('{a}', '{b,c}');
--! 2202E
SELECT abelian.summary_bag_figure(abelian.summary_bag_empty(), 'x');
--! 22023
SELECT abelian.key_arguments(0, 'x');
--! 42P02
SELECT abelian.transaction_outcome('');
--! 22023
SELECT abelian.transaction_outcome(repeat('1', 100000) || ':' || repeat('9', 1000));
--= unknown
CREATE TABLE strangers.t (i int, j text);
CREATE TRIGGER t AFTER INSERT ON strangers.t FOR EACH ROW EXECUTE FUNCTION abelian.slice_stored();
--! 42501
CREATE TRIGGER t AFTER INSERT ON strangers.t FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
--! 42501
