-- abelian_cluster 0.6.0 of what the update of abelian to 0.6.0 has left.
\echo Use "ALTER EXTENSION abelian_cluster UPDATE" to load this file. \quit

SELECT pg_catalog.pg_extension_config_dump('abelian.catalog_for_dumps', '');
