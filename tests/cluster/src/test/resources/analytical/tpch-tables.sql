-- TPC-H's tables with rows of a small arithmetic generator, such that every query finds some.
CREATE TABLE region (r_regionkey int PRIMARY KEY, r_name text, r_comment text);
CREATE TABLE nation (n_nationkey int PRIMARY KEY, n_name text, n_regionkey int, n_comment text);
CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_name text, s_address text, s_nationkey int, s_phone text, s_acctbal numeric(15,2), s_comment text);
CREATE TABLE customer (c_custkey int PRIMARY KEY, c_name text, c_address text, c_nationkey int, c_phone text, c_acctbal numeric(15,2), c_mktsegment text, c_comment text);
CREATE TABLE part (p_partkey int PRIMARY KEY, p_name text, p_mfgr text, p_brand text, p_type text, p_size int, p_container text, p_retailprice numeric(15,2), p_comment text);
CREATE TABLE partsupp (ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost numeric(15,2), ps_comment text, PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE orders (o_orderkey int PRIMARY KEY, o_custkey int, o_orderstatus char(1), o_totalprice numeric(15,2), o_orderdate date, o_orderpriority text, o_clerk text, o_shippriority int, o_comment text);
CREATE TABLE lineitem (l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity numeric(15,2), l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2), l_returnflag char(1), l_linestatus char(1), l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct text, l_shipmode text, l_comment text, PRIMARY KEY (l_orderkey, l_linenumber));

-- placed
SELECT create_reference_table('region');
SELECT create_reference_table('nation');
SELECT create_distributed_table('supplier', 's_suppkey');
SELECT create_distributed_table('customer', 'c_custkey', colocate_with => 'none');
SELECT create_distributed_table('part', 'p_partkey', colocate_with => 'none');
SELECT create_distributed_table('partsupp', 'ps_partkey', colocate_with => 'part');
SELECT create_distributed_table('orders', 'o_orderkey', colocate_with => 'none');
SELECT create_distributed_table('lineitem', 'l_orderkey', colocate_with => 'orders');

-- rows
INSERT INTO region SELECT i, (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[i + 1], '' FROM generate_series(0, 4) i;
INSERT INTO nation SELECT i, (ARRAY['ALGERIA', 'BRAZIL', 'INDIA', 'GERMANY', 'EGYPT', 'KENYA', 'CANADA', 'CHINA', 'FRANCE', 'SAUDI ARABIA'])[i + 1], i % 5, '' FROM generate_series(0, 9) i;
INSERT INTO supplier SELECT i, 'Supplier#' || i, 'address ' || i, (i + 3) % 10, (10 + i % 10) || '-555-' || i, i * 37 % 1000 - 100, CASE WHEN i % 13 = 0 THEN 'said Customer then Complaints' ELSE 'quick' END FROM generate_series(1, 30) i;
INSERT INTO customer SELECT i, 'Customer#' || i, 'address ' || i, i / 3 % 10, (10 + i % 25) || '-555-' || i, i * 91 % 10000 - 900, (ARRAY['BUILDING', 'AUTOMOBILE', 'MACHINERY'])[i % 3 + 1], '' FROM generate_series(1, 90) i;
INSERT INTO part SELECT i, (ARRAY['green', 'forest', 'red', 'blue'])[i % 4 + 1] || ' part ' || i, 'Manufacturer#' || i % 5 + 1, 'Brand#' || i % 5 + 1 || i % 3 + 1, (ARRAY['PROMO BRUSHED BRASS', 'MEDIUM POLISHED TIN', 'ECONOMY ANODIZED STEEL', 'LARGE PLATED COPPER'])[i * 7 % 4 + 1], i % 20 + 1, (ARRAY['SM CASE', 'MED BOX', 'LG CASE', 'MED BAG'])[i % 4 + 1], 900 + i, '' FROM generate_series(1, 80) i;
INSERT INTO partsupp SELECT p, (p * 3 + s * 7) % 30 + 1, (p * 11 + s * 17) % 1000 + 1, (p * 5 + s * 13) % 100 + 1, '' FROM generate_series(1, 80) p, generate_series(0, 3) s;
INSERT INTO orders SELECT i, ('x' || left(md5(i::text), 6))::bit(24)::int % 70 + 1, (ARRAY['F', 'O', 'P'])[i % 3 + 1], i * 113 % 50000, date '1992-01-01' + i * 9 % 2400, (ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '5-LOW'])[i % 4 + 1], 'Clerk#' || i % 10, 0, CASE WHEN i % 11 = 0 THEN 'the special extra requests' ELSE 'plain' END FROM generate_series(1, 400) i;
INSERT INTO lineitem SELECT o, p, (p * 3 + l % 4 * 7) % 30 + 1, l, (o * 3 + l * 29) % 100 + 1, (o * 31 + l * 101) % 9000 + 100, (o + l) % 11 / 100.0, (o * l) % 9 / 100.0, (ARRAY['R', 'A', 'N'])[(o + l) % 3 + 1], (ARRAY['O', 'F'])[l % 2 + 1], d + l * 13, d + 30 + (o % 5) * 10, d + l * 13 + 5 + o % 20, (ARRAY['DELIVER IN PERSON', 'NONE'])[o % 2 + 1], (ARRAY['MAIL', 'SHIP', 'AIR', 'AIR REG'])[(o + l) % 4 + 1], '' FROM (SELECT o, l, (o * 13 + l * 7) % 80 + 1 AS p, date '1992-01-01' + o * 9 % 2400 AS d FROM generate_series(1, 400) o, generate_series(1, 5) l WHERE l <= o % 5 + 1) x;
