-- The tables of TPC-C and the three that CH-benCHmark adds, with rows of a small arithmetic generator, such that every query finds some.
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_name text, w_ytd numeric(12,2));
CREATE TABLE district (d_w_id int, d_id int, d_name text, d_next_o_id int, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_last text, c_credit char(2), c_balance numeric(12,2), c_city text, c_state char(2), c_phone char(16), c_since timestamp, PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_carrier_id int, o_ol_cnt int, o_entry_d timestamp, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_delivery_d timestamp, ol_quantity int, ol_amount numeric(6,2), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE TABLE item (i_id int PRIMARY KEY, i_name text, i_price numeric(5,2), i_data text);
CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_order_cnt int, PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE region (r_regionkey int PRIMARY KEY, r_name text);
CREATE TABLE nation (n_nationkey int PRIMARY KEY, n_name text, n_regionkey int);
CREATE TABLE supplier (su_suppkey int PRIMARY KEY, su_name text, su_address text, su_nationkey int, su_phone text, su_acctbal numeric(12,2), su_comment text);

-- placed
SELECT create_distributed_table('warehouse', 'w_id');
SELECT create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('customer', 'c_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('new_order', 'no_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('orders', 'o_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('order_line', 'ol_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('stock', 's_w_id', colocate_with => 'warehouse');
SELECT create_reference_table('item');
SELECT create_reference_table('region');
SELECT create_reference_table('nation');
SELECT create_distributed_table('supplier', 'su_suppkey', colocate_with => 'none');

-- rows
INSERT INTO warehouse SELECT w, 'w' || w, 300000 FROM generate_series(1, 4) w;
INSERT INTO district SELECT w, d, 'd' || d, 21 FROM generate_series(1, 4) w, generate_series(1, 3) d;
INSERT INTO customer SELECT w, d, c, 'NAME' || c % 7, CASE c % 5 WHEN 0 THEN 'BC' ELSE 'GC' END, (c * 37 + w * 11) % 900 - 100, 'city' || c % 3, chr(65 + (c * 7 + d * 3 + w) % 10) || 'x', ((c + d) % 7 + 1) || '555', timestamp '2010-01-01' + c * interval '1 day' FROM generate_series(1, 4) w, generate_series(1, 3) d, generate_series(1, 12) c;
INSERT INTO orders SELECT w, d, o, o * 7 % 10 + 1, CASE WHEN o > 16 THEN NULL ELSE o % 10 + 1 END, 5 + o % 6, timestamp '2008-01-01' + o * interval '90 days' FROM generate_series(1, 4) w, generate_series(1, 3) d, generate_series(1, 20) o;
INSERT INTO new_order SELECT o_w_id, o_d_id, o_id FROM orders WHERE o_id > 16;
INSERT INTO order_line SELECT o_w_id, o_d_id, o_id, l, (o_id * 7 + l * 3 + o_d_id) % 40 + 1, (o_w_id + l) % 4 + 1, o_entry_d + l * interval '10 days', l % 9 + 1, (o_id * 31 + l * 17) % 900 + 1 FROM orders, generate_series(1, 10) l WHERE l <= o_ol_cnt;
INSERT INTO item SELECT i, 'item ' || i, i % 90 + 5, chr(97 + i % 5) || 'data' || CASE i % 4 WHEN 0 THEN 'BB' ELSE 'b' END FROM generate_series(1, 40) i;
INSERT INTO stock SELECT w, i, (w * 13 + i * 7) % 90 + 10, (w * 5 + i * 3) % 50 FROM generate_series(1, 4) w, generate_series(1, 40) i;
INSERT INTO region SELECT i, (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[i + 1] FROM generate_series(0, 4) i;
INSERT INTO nation SELECT 64 + i, (ARRAY['ALGERIA', 'BRAZIL', 'INDIA', 'GERMANY', 'EGYPT', 'KENYA', 'CANADA', 'CHINA', 'FRANCE', 'CAMBODIA', 'PERU'])[i], i % 5 FROM generate_series(1, 11) i;
INSERT INTO supplier SELECT i, 'Supplier#' || i, 'address ' || i, 65 + i % 10, (10 + i % 10) || '-555', i * 37 % 1000, CASE WHEN i % 7 = 0 THEN 'was bad' ELSE 'quick' END FROM generate_series(0, 159) i;
