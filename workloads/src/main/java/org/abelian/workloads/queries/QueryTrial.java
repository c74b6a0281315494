package org.abelian.workloads.queries;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.abelian.workloads.database.SqlStates;
import org.abelian.workloads.measure.Statistics;

/** One query on all sides: compared once, then timed as long as nothing goes wrong. */
final class QueryTrial {
  private final String suite;
  private final Query query;
  private final List<Side> all;
  private final Side plain;
  private final Side cluster;
  private final Side gathering;
  private Boolean equal;
  private String difference;
  private Long exchangedBytes;

  /**
   * Who is asked.
   *
   * @param plain one PostgreSQL
   * @param cluster as it is
   * @param gathering the cluster without planned exchanges
   */
  record Sides(QuerySession plain, QuerySession cluster, QuerySession gathering) {}

  QueryTrial(String suite, Query query, Sides sides) {
    this.suite = suite;
    this.query = query;
    plain = new Side("plain: ", sides.plain());
    cluster = new Side("", sides.cluster());
    gathering = new Side("gathered: ", sides.gathering());
    all = List.of(plain, cluster, gathering);
  }

  /** Runs it on all sides and compares the answers. The times are those of cold caches. */
  void compare() {
    all.forEach(side -> side.found = side.run(query));
    for (Side side : List.of(gathering, cluster)) {
      if (plain.found != null && side.found != null) {
        Optional<String> other = plain.found.difference(side.found, query.order());
        equal = other.isEmpty() && !Boolean.FALSE.equals(equal);
        other.ifPresent(text -> difference = side.name + text);
      }
    }
    if (error() == null) {
      exchangedBytes = cluster.exchangedBytes(query);
    }
  }

  /** Times it on all sides that have not failed, on another one first in each round. */
  void time(int round) {
    if (error() != null) {
      return;
    }
    for (int i = 0; i < all.size(); i++) {
      Side side = all.get((round + i) % all.size());
      Answer answer = side.error == null ? side.run(query) : null;
      if (answer != null) {
        side.seconds.add(answer.seconds());
      }
    }
  }

  QueryOutcome outcome() {
    boolean failed = error() != null;
    return new QueryOutcome(
        suite,
        query.number(),
        plain.median(),
        cluster.median(),
        failed ? null : ratio(plain, cluster),
        gathering.median(),
        failed || gathering.error != null ? null : ratio(gathering, cluster),
        exchangedBytes,
        plain.found == null ? null : plain.found.rows().size(),
        equal,
        plain.sqlstate == null ? cluster.sqlstate : plain.sqlstate,
        error());
  }

  /** What only gathering could not do is no failure. */
  private String error() {
    if (difference != null) {
      return difference;
    }
    return plain.error == null ? cluster.error : plain.error;
  }

  /** Of the times of each round; null when there are none. */
  private static Double ratio(Side slow, Side fast) {
    int rounds = Math.min(slow.seconds.size(), fast.seconds.size());
    if (rounds == 0) {
      return null;
    }
    return Statistics.median(
        IntStream.range(0, rounds)
            .mapToDouble(i -> slow.seconds.get(i) / fast.seconds.get(i))
            .toArray());
  }

  /** What one side has done with the query. */
  private static final class Side {
    private final String name;
    private final QuerySession session;
    private final List<Double> seconds = new ArrayList<>();
    private Answer found;
    private String sqlstate;
    private String error;

    /**
     * @param name in front of errors
     */
    Side(String name, QuerySession session) {
      this.name = name;
      this.session = session;
    }

    /** The answer, or null when it failed. */
    Answer run(Query query) {
      try {
        return session.run(query);
      } catch (SQLException failure) {
        fail(failure);
        return null;
      }
    }

    /** Null when it failed. */
    Long exchangedBytes(Query query) {
      try {
        return session.exchangedBytes(query);
      } catch (SQLException failure) {
        fail(failure);
        return null;
      }
    }

    private void fail(SQLException failure) {
      sqlstate = SqlStates.stateOf(failure);
      error = name + failure.getMessage().lines().findFirst().orElse("");
    }

    /** What was only compared has the time of that. */
    Double median() {
      if (seconds.isEmpty()) {
        return found == null ? null : Double.valueOf(found.seconds());
      }
      return Statistics.median(seconds.stream().mapToDouble(Double::doubleValue).toArray());
    }
  }
}
