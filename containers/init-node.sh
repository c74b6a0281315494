#!/usr/bin/env bash
# What a new node of a cluster needs in its database; the PostgreSQL image runs it as the superuser POSTGRES_USER in POSTGRES_DB.
#   ABELIAN_NODES             addresses of all nodes, in the same order on each: node1:5432,node2:5432
#   ABELIAN_ROUTER_PASSWORD   of the role `router`, for the router's own connections
#   ABELIAN_APP               a role for the application, which owns the schema public
#   ABELIAN_APP_VERIFIER      its SCRAM-SHA-256 verifier, the same on each node: docs/guide/connecting.md
set -euo pipefail
: "${POSTGRES_USER:?}" "${POSTGRES_DB:?}" "${ABELIAN_NODES:?}" "${ABELIAN_ROUTER_PASSWORD:?}" "${ABELIAN_APP:?}" "${ABELIAN_APP_VERIFIER:?}"

psql -X -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -v nodes="$ABELIAN_NODES" -v app="$ABELIAN_APP" \
  -v verifier="$ABELIAN_APP_VERIFIER" -v router_password="$ABELIAN_ROUTER_PASSWORD" -v database="$POSTGRES_DB" <<'SQL'
CREATE ROLE :"app" LOGIN PASSWORD :'verifier';
CREATE ROLE router LOGIN PASSWORD :'router_password';
GRANT :"app" TO router;
ALTER SCHEMA public OWNER TO :"app";
GRANT CREATE ON DATABASE :"database" TO :"app";
CREATE EXTENSION abelian_cluster CASCADE;
GRANT abelian_server TO router;
-- Changes of the node list belong to routers, which make them on all nodes at once; these nodes are new together.
SET abelian.placement_version = 2147483647;
SELECT abelian.add_node(split_part(address, ':', 1), split_part(address, ':', 2)::integer)
  FROM unnest(string_to_array(:'nodes', ',')) WITH ORDINALITY n (address, number) ORDER BY number \g /dev/null
SQL
