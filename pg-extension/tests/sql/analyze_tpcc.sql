-- as: abelian
-- The facts about every statement that a JDBC client of TPC-C sends: with parameters untyped, as ints, as bigints.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('127.0.0.1', 1);
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_ytd abelian.decimal_counter, w_tax numeric(4,4), w_name varchar(10), w_street_1 varchar(20));
CREATE TABLE district (d_w_id int REFERENCES warehouse, d_id int, d_ytd abelian.decimal_counter, d_tax numeric(4,4), d_next_o_id int,
  d_name varchar(10), PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_discount numeric(4,4), c_credit char(2), c_last varchar(16), c_first varchar(16),
  c_balance numeric(12,2), c_ytd_payment abelian.decimal_counter, c_payment_cnt abelian.counter, c_delivery_cnt int, c_data varchar(500),
  PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE history (h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp DEFAULT now(), h_amount numeric(6,2), h_data varchar(24));
CREATE TABLE oorder (o_w_id int, o_d_id int, o_id int, o_c_id int, o_carrier_id int, o_ol_cnt int, o_all_local int, o_entry_d timestamp,
  PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_delivery_d timestamp, ol_amount numeric(6,2),
  ol_supply_w_id int, ol_quantity int, ol_dist_info char(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE TABLE item (i_id int PRIMARY KEY, i_name varchar(24), i_price numeric(5,2), i_data varchar(50));
CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_ytd numeric(8,2), s_order_cnt int, s_remote_cnt int, s_dist_01 char(24), s_data varchar(50),
  PRIMARY KEY (s_w_id, s_i_id));
SELECT create_distributed_table('warehouse', 'w_id');
SELECT create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('customer', 'c_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('history', 'h_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('oorder', 'o_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('new_order', 'no_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('order_line', 'ol_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('stock', 's_w_id', colocate_with => 'warehouse');
SELECT create_reference_table('item');

-- One line a statement: what is null, empty or false is left out; locations of literals too.
CREATE FUNCTION facts(query text, types regtype[] DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
  SELECT regexp_replace((SELECT string_agg(format('%s: %s', key, value), E'\n  ' ORDER BY key)
            FROM jsonb_each(jsonb_strip_nulls(statement))
           WHERE value NOT IN ('false', '[]', 'null') AND key NOT IN ('span', 'tag')),
         ', "(catalog|temporary|write)": false|, "(location|level)": -?\d+|"level": \d+, |, "schema": "public"|"location": -?\d+, ', '', 'g')
    FROM jsonb_array_elements(abelian.analyze(query, types::oid[])::jsonb) statement
$$;
-- new order
SELECT facts('SELECT C_DISCOUNT, C_LAST, C_CREDIT FROM customer WHERE C_W_ID = $1 AND C_D_ID = $2 AND C_ID = $3', '{int,int,int}');
SELECT facts('SELECT W_TAX FROM warehouse WHERE W_ID = $1', '{int8}');
SELECT facts('SELECT D_NEXT_O_ID, D_TAX FROM district WHERE D_W_ID = $1 AND D_ID = $2 FOR UPDATE');
SELECT facts('UPDATE district SET D_NEXT_O_ID = D_NEXT_O_ID + 1 WHERE D_W_ID = $1 AND D_ID = $2');
SELECT facts('INSERT INTO oorder (O_ID, O_D_ID, O_W_ID, O_C_ID, O_ENTRY_D, O_OL_CNT, O_ALL_LOCAL) VALUES ($1, $2, $3, $4, $5, $6, $7)', '{int,int,int8,0,timestamptz}');
SELECT facts('INSERT INTO new_order (NO_O_ID, NO_D_ID, NO_W_ID) VALUES ($1, $2, $3)');
SELECT facts('SELECT I_PRICE, I_NAME , I_DATA FROM item WHERE I_ID = $1');
SELECT facts('SELECT S_QUANTITY, S_DATA, S_DIST_01 FROM stock WHERE S_I_ID = $1 AND S_W_ID = $2 FOR UPDATE');
SELECT facts('UPDATE stock SET S_QUANTITY = $1 , S_YTD = S_YTD + $2, S_ORDER_CNT = S_ORDER_CNT + 1, S_REMOTE_CNT = S_REMOTE_CNT + $3 WHERE S_I_ID = $4 AND S_W_ID = $5');
-- reWriteBatchedInserts
SELECT facts('INSERT INTO new_order VALUES ($1, $2, $3), ($4, $5, $6),($7,$8,$9)', '{int,int,int,int8,int,int}');
-- payment
SELECT facts('UPDATE warehouse SET W_YTD = W_YTD + $1 WHERE W_ID = $2', '{numeric}');
SELECT facts('UPDATE district SET D_YTD = D_YTD + $1 WHERE D_W_ID = $2 AND D_ID = $3', '{numeric}');
SELECT facts('SELECT C_ID, C_FIRST FROM customer WHERE C_W_ID = $1 AND C_D_ID = $2 AND C_LAST = $3 ORDER BY C_FIRST', '{0,0,varchar}');
SELECT facts('UPDATE customer SET C_BALANCE = $1, C_YTD_PAYMENT = C_YTD_PAYMENT + $2, C_PAYMENT_CNT = C_PAYMENT_CNT + 1, C_DATA = $3 WHERE C_W_ID = $4 AND C_D_ID = $5 AND C_ID = $6');
SELECT facts('INSERT INTO history (H_C_D_ID, H_C_W_ID, H_C_ID, H_D_ID, H_W_ID, H_AMOUNT, H_DATA) VALUES ($1,$2,$3,$4,$5,$6,$7)');
-- order status
SELECT facts('SELECT O_ID, O_CARRIER_ID, O_ENTRY_D FROM oorder WHERE O_W_ID = $1 AND O_D_ID = $2 AND O_C_ID = $3 ORDER BY O_ID DESC LIMIT 1');
-- delivery
SELECT facts('SELECT NO_O_ID FROM new_order WHERE NO_D_ID = $1 AND NO_W_ID = $2 ORDER BY NO_O_ID ASC LIMIT 1');
SELECT facts('DELETE FROM new_order WHERE NO_O_ID = $1 AND NO_D_ID = $2 AND NO_W_ID = $3');
SELECT facts('SELECT SUM(OL_AMOUNT) AS OL_TOTAL FROM order_line WHERE OL_O_ID = $1 AND OL_D_ID = $2 AND OL_W_ID = $3');
SELECT facts('UPDATE customer SET C_BALANCE = C_BALANCE + $1, C_DELIVERY_CNT = C_DELIVERY_CNT + 1 WHERE C_W_ID = $2 AND C_D_ID = $3 AND C_ID = $4');
-- stock level: one warehouse as two parameters
SELECT facts('SELECT COUNT(DISTINCT (S_I_ID)) AS STOCK_COUNT FROM order_line, stock WHERE OL_W_ID = $1 AND OL_D_ID = $2 AND OL_O_ID < $3 AND OL_O_ID >= $4 AND S_W_ID = $5 AND S_I_ID = OL_I_ID AND S_QUANTITY < $6');
-- consistency checks
SELECT facts('SELECT w_id FROM warehouse LEFT JOIN (SELECT d_w_id, sum(d_ytd) s FROM district GROUP BY d_w_id) d ON d_w_id = w_id WHERE w_ytd <> s');
SELECT facts('SELECT count(*) FROM oorder');
-- the session
SELECT facts('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE');
SELECT facts('BEGIN');
SELECT facts('COMMIT');
SELECT facts('SET extra_float_digits = 3');
SELECT facts('SHOW TRANSACTION ISOLATION LEVEL');
SELECT facts('SELECT version()');
