/* superuser */ SELECT abelian.create_type('mean', 'avg(numeric)'), abelian.create_type('mean_of_integers', 'avg(bigint)'), abelian.create_type('deviation', 'stddev_pop(double precision)'), abelian.create_type('spread', 'var_samp(numeric)');
-- One of each: counters of all kinds, collections, an index over values, and all that a cluster's catalogue knows.
CREATE TABLE page (id bigint PRIMARY KEY, title text NOT NULL, likes abelian.counter NOT NULL DEFAULT 0, paid abelian.decimal_counter DEFAULT 0, best abelian.max);
CREATE TABLE item (id bigint PRIMARY KEY, stock abelian.bounded_counter(0), seats abelian.bounded_counter(0, 200));
CREATE TABLE collected (id bigint PRIMARY KEY, tags abelian.set DEFAULT '{}', readers abelian.set_int8 DEFAULT '{}', points abelian.scored_set DEFAULT '{}',
  votes abelian.multiset DEFAULT '{}', settings abelian.dict DEFAULT '{}', bidders abelian.top_k DEFAULT abelian.top_k(2));
CREATE TABLE summed (id bigint PRIMARY KEY, mean mean, whole mean_of_integers, deviation deviation, spread spread, spent abelian.sum_interval, days abelian.max_date,
  ever abelian.bool_or DEFAULT false, bag abelian.summary_bag, seen abelian.lww_map, last abelian.ordered_put);
CREATE TABLE rate (code text PRIMARY KEY, value numeric);
CREATE TABLE alone (id int PRIMARY KEY, n abelian.counter DEFAULT 0);
CREATE TABLE person (id bigint PRIMARY KEY, email text);
/* cluster */ CALL create_distributed_table('page', 'id');
/* cluster */ CALL create_distributed_table('item', 'id');
/* cluster */ CALL create_distributed_table('collected', 'id');
/* cluster */ CALL create_distributed_table('summed', 'id');
/* cluster */ CALL create_reference_table('rate');
/* cluster */ CALL create_distributed_table('person', 'id');
/* cluster */ CALL create_lookup_index('person', 'email');
CREATE INDEX page_base ON page (abelian.base(likes));
CREATE INDEX page_object ON page (abelian.counter_object(likes));
CREATE PROCEDURE give(a bigint, b bigint, n bigint) LANGUAGE sql BEGIN ATOMIC
  UPDATE page SET likes = likes + n WHERE id = a;
  UPDATE page SET likes = likes - n WHERE id = b;
END;
/* cluster */ CALL create_distributed_procedure('give(bigint, bigint, bigint)', 'a, b', colocate_with => 'page');
INSERT INTO page SELECT i, 'page ' || i, i * 7919 % 1009, i / 4.0, i FROM generate_series(1, 2000) i;
INSERT INTO item SELECT i, 10, 0 FROM generate_series(1, 60) i;
INSERT INTO collected SELECT i FROM generate_series(1, 60) i;
INSERT INTO summed (id) SELECT i FROM generate_series(1, 12) i;
INSERT INTO person SELECT i, 'p' || i || '@example.org' FROM generate_series(1, 30) i;
INSERT INTO rate VALUES ('EUR', 1), ('USD', 0.93);
INSERT INTO alone VALUES (1);
ANALYZE page;
