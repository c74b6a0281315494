-- A catalogue as that of Citus: its tables with the columns that it has, and what groups of tables look like there.
-- Runs on: cluster, where the statements that the script prints are run as well.
CREATE SCHEMA citus_catalogue;
SET search_path = citus_catalogue;
CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char", autoconverted boolean);
CREATE TABLE pg_dist_colocation (colocationid integer, shardcount integer, replicationfactor integer, distributioncolumntype oid, distributioncolumncollation oid);
CREATE TABLE tenant (tenant_id bigint PRIMARY KEY, name text);
CREATE TABLE invoice (invoice_id bigint, tenant_id bigint, total numeric, PRIMARY KEY (tenant_id, invoice_id));
CREATE TABLE event (at timestamptz, device text, PRIMARY KEY (device, at));
CREATE TABLE currency (code text PRIMARY KEY);
CREATE TABLE note (body text);
CREATE TABLE reading (at timestamptz);
CREATE TABLE archive (day date);
INSERT INTO pg_dist_colocation VALUES (1, 32, 1, 20, 0), (2, 8, 1, 25, 100), (3, 1, -1, 0, 0), (4, 4, 1, 1184, 0);
INSERT INTO pg_dist_partition VALUES
  ('tenant', 'h', '{VAR :varno 1 :varattno 1 :vartype 20 :vartypmod -1 :varcollid 0 :varlevelsup 0 :varnosyn 1 :varattnosyn 1 :location -1}', 1, 's', false),
  ('invoice', 'h', '{VAR :varno 1 :varattno 2 :vartype 20 :vartypmod -1 :varcollid 0 :varlevelsup 0 :varnosyn 1 :varattnosyn 2 :location -1}', 1, 's', false),
  ('event', 'h', '{VAR :varno 1 :varattno 2 :vartype 25 :vartypmod -1 :varcollid 100 :varlevelsup 0 :varnosyn 1 :varattnosyn 2 :location -1}', 2, 's', false),
  ('currency', 'n', NULL, 3, 't', false),
  ('note', 'n', NULL, 0, 's', true),
  ('reading', 'h', '{VAR :varno 1 :varattno 1 :vartype 1184 :vartypmod -1 :varcollid 0 :varlevelsup 0 :varnosyn 1 :varattnosyn 1 :location -1}', 4, 's', false),
  ('archive', 'r', '{VAR :varno 1 :varattno 1 :vartype 1082 :vartypmod -1 :varcollid 0 :varlevelsup 0 :varnosyn 1 :varattnosyn 1 :location -1}', 0, 's', false);
