-- BenchBase's AuctionMark tables with plain columns, placed over a cluster: what belongs to an auction by its seller, what belongs to a user by the user.
-- Foreign keys that may cross nodes are left out: from comments, bids and feedback to the other user, from an auction's highest bid to the bid,
-- and from a user's feedback, purchases and watch list to the item.

DROP TABLE IF EXISTS useracct_watch CASCADE;
DROP TABLE IF EXISTS useracct_item CASCADE;
DROP TABLE IF EXISTS useracct_feedback CASCADE;
DROP TABLE IF EXISTS item_purchase CASCADE;
DROP TABLE IF EXISTS item_max_bid CASCADE;
DROP TABLE IF EXISTS item_bid CASCADE;
DROP TABLE IF EXISTS item_comment CASCADE;
DROP TABLE IF EXISTS item_image CASCADE;
DROP TABLE IF EXISTS item_attribute CASCADE;
DROP TABLE IF EXISTS item CASCADE;
DROP TABLE IF EXISTS useracct_attributes CASCADE;
DROP TABLE IF EXISTS useracct CASCADE;
DROP TABLE IF EXISTS global_attribute_value CASCADE;
DROP TABLE IF EXISTS global_attribute_group CASCADE;
DROP TABLE IF EXISTS category CASCADE;
DROP TABLE IF EXISTS region CASCADE;
DROP TABLE IF EXISTS config_profile CASCADE;

CREATE TABLE config_profile (
    cfp_scale_factor        float NOT NULL,
    cfp_loader_start        timestamp DEFAULT CURRENT_TIMESTAMP,
    cfp_loader_stop         timestamp DEFAULT CURRENT_TIMESTAMP,
    cfp_user_item_histogram text NOT NULL
);

CREATE TABLE region (
    r_id   bigint PRIMARY KEY,
    r_name varchar(32)
);

CREATE TABLE category (
    c_id        bigint PRIMARY KEY,
    c_name      varchar(50),
    c_parent_id bigint REFERENCES category ON DELETE CASCADE
);
CREATE INDEX category_by_parent ON category (c_parent_id);

CREATE TABLE global_attribute_group (
    gag_id   varchar(128) PRIMARY KEY,
    gag_c_id bigint NOT NULL REFERENCES category ON DELETE CASCADE,
    gag_name varchar(100) NOT NULL
);

CREATE TABLE global_attribute_value (
    gav_id     varchar(128) NOT NULL,
    gav_gag_id varchar(128) NOT NULL REFERENCES global_attribute_group ON DELETE CASCADE,
    gav_name   varchar(100) NOT NULL,
    PRIMARY KEY (gav_id, gav_gag_id)
);

CREATE TABLE useracct (
    u_id       varchar(128) PRIMARY KEY,
    u_rating   bigint NOT NULL,
    u_balance  float NOT NULL,
    u_comments integer DEFAULT 0,
    u_r_id     bigint NOT NULL REFERENCES region ON DELETE CASCADE,
    u_created  timestamp DEFAULT CURRENT_TIMESTAMP,
    u_updated  timestamp DEFAULT CURRENT_TIMESTAMP,
    u_sattr0   varchar(64),
    u_sattr1   varchar(64),
    u_sattr2   varchar(64),
    u_sattr3   varchar(64),
    u_sattr4   varchar(64),
    u_sattr5   varchar(64),
    u_sattr6   varchar(64),
    u_sattr7   varchar(64),
    u_iattr0   bigint,
    u_iattr1   bigint,
    u_iattr2   bigint,
    u_iattr3   bigint,
    u_iattr4   bigint,
    u_iattr5   bigint,
    u_iattr6   bigint,
    u_iattr7   bigint
);
CREATE INDEX useracct_by_region ON useracct (u_id, u_r_id);

CREATE TABLE useracct_attributes (
    ua_id     bigint NOT NULL,
    ua_u_id   varchar(128) NOT NULL REFERENCES useracct ON DELETE CASCADE,
    ua_name   varchar(32) NOT NULL,
    ua_value  varchar(32) NOT NULL,
    u_created timestamp,
    PRIMARY KEY (ua_id, ua_u_id)
);

CREATE TABLE item (
    i_id               varchar(128) NOT NULL,
    i_u_id             varchar(128) NOT NULL REFERENCES useracct ON DELETE CASCADE,
    i_c_id             bigint NOT NULL REFERENCES category ON DELETE CASCADE,
    i_name             varchar(100),
    i_description      varchar(1024),
    i_user_attributes  varchar(255),
    i_initial_price    float NOT NULL,
    i_current_price    float NOT NULL,
    i_num_bids         bigint,
    i_num_images       bigint,
    i_num_global_attrs bigint,
    i_num_comments     bigint,
    i_start_date       timestamp DEFAULT '1970-01-01 00:00:01',
    i_end_date         timestamp DEFAULT '1970-01-01 00:00:01',
    i_status           int DEFAULT 0,
    i_created          timestamp DEFAULT CURRENT_TIMESTAMP,
    i_updated          timestamp DEFAULT CURRENT_TIMESTAMP,
    i_iattr0           bigint,
    i_iattr1           bigint,
    i_iattr2           bigint,
    i_iattr3           bigint,
    i_iattr4           bigint,
    i_iattr5           bigint,
    i_iattr6           bigint,
    i_iattr7           bigint,
    PRIMARY KEY (i_id, i_u_id)
);
CREATE INDEX item_by_seller ON item (i_u_id);

CREATE TABLE item_attribute (
    ia_id     varchar(128) NOT NULL,
    ia_i_id   varchar(128) NOT NULL,
    ia_u_id   varchar(128) NOT NULL,
    ia_gav_id varchar(128) NOT NULL,
    ia_gag_id varchar(128) NOT NULL,
    ia_sattr0 varchar(64),
    PRIMARY KEY (ia_id, ia_i_id, ia_u_id),
    FOREIGN KEY (ia_i_id, ia_u_id) REFERENCES item ON DELETE CASCADE,
    FOREIGN KEY (ia_gav_id, ia_gag_id) REFERENCES global_attribute_value
);

CREATE TABLE item_image (
    ii_id     varchar(128) NOT NULL,
    ii_i_id   varchar(128) NOT NULL,
    ii_u_id   varchar(128) NOT NULL,
    ii_sattr0 varchar(128) NOT NULL,
    PRIMARY KEY (ii_id, ii_i_id, ii_u_id),
    FOREIGN KEY (ii_i_id, ii_u_id) REFERENCES item ON DELETE CASCADE
);

CREATE TABLE item_comment (
    ic_id       bigint NOT NULL,
    ic_i_id     varchar(128) NOT NULL,
    ic_u_id     varchar(128) NOT NULL,
    ic_buyer_id varchar(128) NOT NULL,
    ic_question varchar(128) NOT NULL,
    ic_response varchar(128),
    ic_created  timestamp DEFAULT CURRENT_TIMESTAMP,
    ic_updated  timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (ic_id, ic_i_id, ic_u_id),
    FOREIGN KEY (ic_i_id, ic_u_id) REFERENCES item ON DELETE CASCADE
);

CREATE TABLE item_bid (
    ib_id       bigint NOT NULL,
    ib_i_id     varchar(128) NOT NULL,
    ib_u_id     varchar(128) NOT NULL,
    ib_buyer_id varchar(128) NOT NULL,
    ib_bid      float NOT NULL,
    ib_max_bid  float NOT NULL,
    ib_created  timestamp DEFAULT CURRENT_TIMESTAMP,
    ib_updated  timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (ib_id, ib_i_id, ib_u_id),
    FOREIGN KEY (ib_i_id, ib_u_id) REFERENCES item ON DELETE CASCADE
);

CREATE TABLE item_max_bid (
    imb_i_id    varchar(128) NOT NULL,
    imb_u_id    varchar(128) NOT NULL,
    imb_ib_id   bigint NOT NULL,
    imb_ib_i_id varchar(128) NOT NULL,
    imb_ib_u_id varchar(128) NOT NULL,
    imb_created timestamp DEFAULT CURRENT_TIMESTAMP,
    imb_updated timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (imb_i_id, imb_u_id),
    FOREIGN KEY (imb_i_id, imb_u_id) REFERENCES item ON DELETE CASCADE
);

CREATE TABLE item_purchase (
    ip_id      bigint NOT NULL,
    ip_ib_id   bigint NOT NULL,
    ip_ib_i_id varchar(128) NOT NULL,
    ip_ib_u_id varchar(128) NOT NULL,
    ip_date    timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (ip_id, ip_ib_id, ip_ib_i_id, ip_ib_u_id),
    FOREIGN KEY (ip_ib_id, ip_ib_i_id, ip_ib_u_id) REFERENCES item_bid ON DELETE CASCADE
);

CREATE TABLE useracct_feedback (
    uf_u_id    varchar(128) NOT NULL REFERENCES useracct ON DELETE CASCADE,
    uf_i_id    varchar(128) NOT NULL,
    uf_i_u_id  varchar(128) NOT NULL,
    uf_from_id varchar(128) NOT NULL,
    uf_rating  smallint NOT NULL,
    uf_date    timestamp DEFAULT CURRENT_TIMESTAMP,
    uf_sattr0  varchar(80) NOT NULL,
    PRIMARY KEY (uf_u_id, uf_i_id, uf_i_u_id, uf_from_id),
    CHECK (uf_u_id <> uf_from_id)
);

CREATE TABLE useracct_item (
    ui_u_id       varchar(128) NOT NULL REFERENCES useracct ON DELETE CASCADE,
    ui_i_id       varchar(128) NOT NULL,
    ui_i_u_id     varchar(128) NOT NULL,
    ui_ip_id      bigint,
    ui_ip_ib_id   bigint,
    ui_ip_ib_i_id varchar(128),
    ui_ip_ib_u_id varchar(128),
    ui_created    timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (ui_u_id, ui_i_id, ui_i_u_id)
);

CREATE TABLE useracct_watch (
    uw_u_id    varchar(128) NOT NULL REFERENCES useracct ON DELETE CASCADE,
    uw_i_id    varchar(128) NOT NULL,
    uw_i_u_id  varchar(128) NOT NULL,
    uw_created timestamp DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (uw_u_id, uw_i_id, uw_i_u_id)
);

-- Placement: CALL returns no row, which script runners like. A table that others refer to comes before them.
CALL create_reference_table('config_profile');
CALL create_reference_table('region');
CALL create_reference_table('category');
CALL create_reference_table('global_attribute_group');
CALL create_reference_table('global_attribute_value');
CALL create_distributed_table('useracct', 'u_id');
CALL create_distributed_table('useracct_attributes', 'ua_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item', 'i_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_attribute', 'ia_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_image', 'ii_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_comment', 'ic_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_bid', 'ib_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_max_bid', 'imb_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item_purchase', 'ip_ib_u_id', colocate_with => 'useracct');
CALL create_distributed_table('useracct_feedback', 'uf_u_id', colocate_with => 'useracct');
CALL create_distributed_table('useracct_item', 'ui_u_id', colocate_with => 'useracct');
CALL create_distributed_table('useracct_watch', 'uw_u_id', colocate_with => 'useracct');
