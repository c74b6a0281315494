package org.abelian.workloads.queries;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What became of one query.
 *
 * @param suite its benchmark
 * @param query its number
 * @param plainSeconds median on one PostgreSQL; null when it failed there
 * @param clusterSeconds median on the cluster; null when it failed there
 * @param ratio time on one PostgreSQL by that on the cluster, the median of the rounds: less than 1
 *     where the cluster is slower; null when the query failed
 * @param gatheredSeconds median on the cluster when all rows that matter are gathered on one node;
 *     null when it failed so
 * @param plannedOverGathered that time by the time with exchanges planned, the median of the
 *     rounds; null when either failed
 * @param exchangedBytes what nodes of the cluster get of the rows of others, through the router;
 *     null when the query failed
 * @param rows how many it finds
 * @param equal whether the cluster gives the same; null when there are not two answers
 * @param sqlstate of an error
 * @param error what went wrong; null when nothing did
 */
public record QueryOutcome(
    String suite,
    int query,
    @JsonProperty("plain_s") Double plainSeconds,
    @JsonProperty("cluster_s") Double clusterSeconds,
    Double ratio,
    @JsonProperty("gathered_s") Double gatheredSeconds,
    @JsonProperty("planner_over_fallback") Double plannedOverGathered,
    @JsonProperty("exchanged_bytes") Long exchangedBytes,
    Integer rows,
    Boolean equal,
    String sqlstate,
    String error) {
  /** Such as {@code tpch 3}. */
  @JsonIgnore
  public String name() {
    return suite + " " + query;
  }

  /** It was refused, took too long, met an error, or gave another answer. */
  @JsonIgnore
  public boolean failed() {
    return error != null;
  }
}
