-- Views of what a router tells of itself; without one they are empty.
SELECT * FROM abelian.router_statistics;
SELECT * FROM abelian.routing_rules;
BEGIN;
SET LOCAL abelian.router_statistics = '{"sessions":2,"statements":{"scatter":3},"analyses":4,"batched_reads":18,"nodes":{"n1:5432":{"open":5,"lent":1,"waiting":0}},"node_states":{"n1:5432":{"split_objects":6,"lag_ms":7}},"in_doubt":0,"memory":{"used":8,"limit":9}}';
SET LOCAL abelian.commit_statistics = '{"classes":{"commuting":10},"shared":11,"refused_by_lanes":{"busy":12},"coordinated_because":{"it''s late":13},"trace":{"lines":14}}';
SET LOCAL abelian.routing_rules = '{"misrouted_attempts":15,"rules":[{"procedure":"f(integer)","rule":"a","used":true,"misrouted_calls":16,"uses":17}]}';
SELECT * FROM abelian.router_statistics ORDER BY name, label;
SELECT * FROM abelian.routing_rules;
ROLLBACK;
SELECT count(*) FROM abelian.router_statistics;
SET abelian.placement_version = 1;
SELECT * FROM abelian.routing_rules;
RESET abelian.placement_version;
SELECT facts::text LIKE '%"of_no_node":["router_setting"]%' AS "known by no node" FROM abelian.analyze('SELECT * FROM abelian.routing_rules') facts;
