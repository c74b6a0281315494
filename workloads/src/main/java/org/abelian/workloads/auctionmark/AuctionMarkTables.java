package org.abelian.workloads.auctionmark;

import java.util.List;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Schema;

/**
 * The tables. What belongs to an auction is placed with its seller, what belongs to a user with the
 * user; regions and categories are copied to every node.
 */
record AuctionMarkTables(Columns columns) implements Schema {
  @Override
  public List<String> create() {
    return List.of(
        "CREATE TABLE region (r_id integer PRIMARY KEY, r_name text NOT NULL)",
        "CREATE TABLE category (c_id integer PRIMARY KEY, c_name text NOT NULL)",
        columns(
            "useracct",
            "u_id bigint PRIMARY KEY, u_r_id integer NOT NULL",
            counts("u_rating", "u_balance", "u_comments")),
        columns(
            "useracct_attributes",
            "ua_id bigint, ua_u_id bigint, ua_name text NOT NULL, ua_value text NOT NULL",
            "PRIMARY KEY (ua_u_id, ua_id)"),
        columns(
            "useracct_feedback",
            "uf_u_id bigint, uf_i_id bigint, uf_from_id bigint, uf_rating integer NOT NULL",
            "PRIMARY KEY (uf_u_id, uf_i_id, uf_from_id)"),
        columns(
            "useracct_watch",
            "uw_u_id bigint, uw_i_id bigint, uw_i_u_id bigint NOT NULL",
            "PRIMARY KEY (uw_u_id, uw_i_id)"),
        columns(
            "useracct_item",
            "ui_u_id bigint, ui_i_id bigint, ui_i_u_id bigint NOT NULL, ui_ip_id bigint",
            "PRIMARY KEY (ui_u_id, ui_i_id)"),
        columns(
            "item",
            "i_id bigint, i_u_id bigint, i_c_id integer NOT NULL, i_name text NOT NULL",
            "i_description text NOT NULL, i_end bigint NOT NULL, i_status integer NOT NULL",
            counts("i_num_bids", "i_num_comments"),
            "i_current_price " + columns.choose("bigint", "abelian.max"),
            "PRIMARY KEY (i_u_id, i_id)"),
        columns(
            "item_image",
            "ii_id bigint, ii_i_id bigint NOT NULL, ii_u_id bigint",
            "PRIMARY KEY (ii_u_id, ii_id)"),
        columns(
            "item_comment",
            "ic_id bigint, ic_i_id bigint NOT NULL, ic_u_id bigint, ic_buyer_id bigint NOT NULL",
            "ic_question text NOT NULL, ic_response text",
            "PRIMARY KEY (ic_u_id, ic_id)"),
        columns(
            "item_bid",
            "ib_id bigint, ib_i_id bigint, ib_u_id bigint, ib_buyer_id bigint NOT NULL",
            "ib_bid bigint NOT NULL",
            "PRIMARY KEY (ib_u_id, ib_i_id, ib_id)"),
        columns(
            "item_max_bid",
            "imb_i_id bigint, imb_u_id bigint",
            columns.choose(
                "imb_bid bigint NOT NULL, imb_ib_id bigint", "imb_best abelian.top_k NOT NULL"),
            "PRIMARY KEY (imb_u_id, imb_i_id)"),
        columns(
            "item_purchase",
            "ip_id bigint, ip_ib_id bigint NOT NULL, ip_ib_i_id bigint, ip_ib_u_id bigint",
            "PRIMARY KEY (ip_ib_u_id, ip_ib_i_id)"));
  }

  private static String columns(String table, String... parts) {
    return "CREATE TABLE %s (%s)".formatted(table, String.join(", ", parts));
  }

  private String counts(String... names) {
    String type = columns.choose(" bigint NOT NULL", " abelian.counter NOT NULL");
    return String.join(type + ", ", names) + type;
  }

  @Override
  public List<String> place() {
    return List.of(
        "CALL create_reference_table('region')",
        "CALL create_reference_table('category')",
        "CALL create_distributed_table('useracct', 'u_id')",
        withUsers("useracct_attributes", "ua_u_id"),
        withUsers("useracct_feedback", "uf_u_id"),
        withUsers("useracct_watch", "uw_u_id"),
        withUsers("useracct_item", "ui_u_id"),
        withUsers("item", "i_u_id"),
        withUsers("item_image", "ii_u_id"),
        withUsers("item_comment", "ic_u_id"),
        withUsers("item_bid", "ib_u_id"),
        withUsers("item_max_bid", "imb_u_id"),
        withUsers("item_purchase", "ip_ib_u_id"));
  }

  private static String withUsers(String table, String key) {
    return "CALL create_distributed_table('%s', '%s', colocate_with => 'useracct')"
        .formatted(table, key);
  }

  @Override
  public List<String> finish() {
    return List.of(
        "CREATE INDEX ON item (i_end) WHERE i_status = 0",
        "CREATE INDEX ON item_comment (ic_u_id, ic_i_id)",
        """
        VACUUM ANALYZE region, category, useracct, useracct_attributes, useracct_feedback,
          useracct_watch, useracct_item, item, item_image, item_comment, item_bid, item_max_bid,
          item_purchase\
        """);
  }
}
