package org.abelian.workloads.queries;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Statistics;

/** One query on both sides: compared once, then timed as long as nothing goes wrong. */
final class QueryTrial {
  private final String suite;
  private final Query query;
  private final QuerySession plain;
  private final QuerySession cluster;

  private final List<Double> plainSeconds = new ArrayList<>();
  private final List<Double> clusterSeconds = new ArrayList<>();
  private Answer expected;
  private Answer found;
  private Boolean equal;
  private String sqlstate;
  private String error;

  QueryTrial(String suite, Query query, QuerySession plain, QuerySession cluster) {
    this.suite = suite;
    this.query = query;
    this.plain = plain;
    this.cluster = cluster;
  }

  /** Runs it on both sides and compares the answers. The times are those of cold caches. */
  void compare() {
    expected = run(plain, "plain: ");
    found = run(cluster, "");
    if (expected != null && found != null) {
      error = expected.difference(found, query.order()).orElse(null);
      equal = error == null;
    }
  }

  /** Times it on both sides, on this one first, unless it has failed already. */
  void time(boolean clusterFirst) {
    if (error != null) {
      return;
    }
    Answer early = run(clusterFirst ? cluster : plain, clusterFirst ? "" : "plain: ");
    Answer late = run(clusterFirst ? plain : cluster, clusterFirst ? "plain: " : "");
    if (early != null && late != null) {
      plainSeconds.add((clusterFirst ? late : early).seconds());
      clusterSeconds.add((clusterFirst ? early : late).seconds());
    }
  }

  private Answer run(QuerySession session, String side) {
    try {
      return session.run(query);
    } catch (SQLException failure) {
      sqlstate = SqlStates.stateOf(failure);
      error = side + failure.getMessage().lines().findFirst().orElse("");
      return null;
    }
  }

  QueryOutcome outcome() {
    return new QueryOutcome(
        suite,
        query.number(),
        seconds(plainSeconds, expected),
        seconds(clusterSeconds, found),
        ratio(),
        expected == null ? null : expected.rows().size(),
        equal,
        sqlstate,
        error);
  }

  /** What was only compared has the time of that. */
  private static Double seconds(List<Double> timed, Answer compared) {
    if (timed.isEmpty()) {
      return compared == null ? null : Double.valueOf(compared.seconds());
    }
    return median(timed);
  }

  private Double ratio() {
    if (error != null || plainSeconds.isEmpty()) {
      return null;
    }
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < plainSeconds.size(); i++) {
      ratios.add(plainSeconds.get(i) / clusterSeconds.get(i));
    }
    return median(ratios);
  }

  private static double median(List<Double> values) {
    return Statistics.median(values.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
