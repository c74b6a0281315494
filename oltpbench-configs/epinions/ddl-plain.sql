-- BenchBase's Epinions tables with plain columns, placed over a cluster: people and whom they trust by the person, items and their reviews by the item.
-- One of the benchmark's foreign keys may cross nodes and is left out: review to useracct.

DROP TABLE IF EXISTS review CASCADE;
DROP TABLE IF EXISTS review_rating CASCADE;
DROP TABLE IF EXISTS trust CASCADE;
DROP TABLE IF EXISTS item CASCADE;
DROP TABLE IF EXISTS useracct CASCADE;

CREATE TABLE useracct (
    u_id          int PRIMARY KEY,
    name          varchar(128) NOT NULL,
    email         varchar(128) NOT NULL,
    creation_date timestamp
);

CREATE TABLE item (
    i_id          int PRIMARY KEY,
    title         varchar(128) NOT NULL,
    description   varchar(512),
    creation_date timestamp
);

CREATE TABLE review (
    a_id          int NOT NULL,
    u_id          int NOT NULL,
    i_id          int NOT NULL REFERENCES item ON DELETE CASCADE,
    rating        int,
    rank          int,
    comment       varchar(256),
    creation_date timestamp
);

CREATE TABLE review_rating (
    u_id          int NOT NULL REFERENCES useracct ON DELETE CASCADE,
    a_id          int NOT NULL,
    rating        int NOT NULL,
    status        int NOT NULL,
    creation_date timestamp,
    last_mod_date timestamp,
    type          int,
    vertical_id   int
);

CREATE TABLE trust (
    source_u_id   int NOT NULL,
    target_u_id   int NOT NULL,
    trust         int NOT NULL,
    creation_date timestamp
);

CREATE INDEX review_by_item ON review (i_id);
CREATE INDEX review_by_user ON review (u_id);
CREATE INDEX review_by_number ON review (a_id);
CREATE INDEX review_rating_by_user ON review_rating (u_id);
CREATE INDEX review_rating_by_number ON review_rating (a_id);
CREATE INDEX trust_by_source ON trust (source_u_id);
CREATE INDEX trust_by_target ON trust (target_u_id);

-- Placement: CALL returns no row, which script runners like. A table that others refer to comes before them.
CALL create_distributed_table('useracct', 'u_id');
CALL create_distributed_table('review_rating', 'u_id', colocate_with => 'useracct');
CALL create_distributed_table('trust', 'source_u_id', colocate_with => 'useracct');
CALL create_distributed_table('item', 'i_id');
CALL create_distributed_table('review', 'i_id', colocate_with => 'item');
