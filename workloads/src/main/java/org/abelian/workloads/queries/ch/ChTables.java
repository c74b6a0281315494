package org.abelian.workloads.queries.ch;

import java.util.List;

/** The tables beside TPC-C's. They are small and have no warehouse: every node has them all. */
final class ChTables {
  private ChTables() {}

  static List<String> create() {
    return List.of(
        """
        CREATE TABLE region (
          r_regionkey integer PRIMARY KEY,
          r_name char(55) NOT NULL,
          r_comment char(152) NOT NULL)\
        """,
        """
        CREATE TABLE nation (
          n_nationkey integer PRIMARY KEY,
          n_name char(25) NOT NULL,
          n_regionkey integer NOT NULL,
          n_comment char(152) NOT NULL)\
        """,
        """
        CREATE TABLE supplier (
          su_suppkey integer PRIMARY KEY,
          su_name char(25) NOT NULL,
          su_address varchar(40) NOT NULL,
          su_nationkey integer NOT NULL,
          su_phone char(15) NOT NULL,
          su_acctbal numeric(12,2) NOT NULL,
          su_comment char(101) NOT NULL)\
        """);
  }

  static List<String> place() {
    return List.of(
        "CALL create_reference_table('region')",
        "CALL create_reference_table('nation')",
        "CALL create_reference_table('supplier')");
  }

  static List<String> finish() {
    return List.of(
        "ALTER TABLE nation ADD FOREIGN KEY (n_regionkey) REFERENCES region",
        "ALTER TABLE supplier ADD FOREIGN KEY (su_nationkey) REFERENCES nation");
  }

  /**
   * What the queries look for and TPC-C's load has not, or only by chance: items of certain data,
   * and customers with money who have not yet ordered.
   *
   * @param customers of a district; the others follow them
   */
  static List<String> plant(int customers) {
    return List.of(
        "UPDATE item SET i_data = left(i_data, 24) || 'BB' WHERE i_id = 1",
        "UPDATE item SET i_data = 'co' || substr(i_data, 3) WHERE i_id = 2",
        "UPDATE item SET i_data = left(i_data, 24) || 'Ab' WHERE i_id IN (3, 4, 5)",
        "UPDATE item SET i_data = 'PR' || substr(i_data, 3) WHERE i_id = 6",
        """
        INSERT INTO customer (c_w_id, c_d_id, c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,
          c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data)
        SELECT c_w_id, c_d_id, c_id + %d, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip,
          c_phone, c_since, c_credit, c_credit_lim, c_discount, ((c_id * 37 + c_d_id * 11 + c_w_id) %% 900)::numeric(12,2), 10, 1, 0, c_data
        FROM customer WHERE c_id %% 5 = 0\
        """
            .formatted(customers));
  }
}
