package org.abelian.workloads.evaluate;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.client.Mode;
import org.abelian.workloads.client.Tally;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Finding;
import org.abelian.workloads.workload.Workload;
import org.abelian.workloads.workload.WorkloadTables;

/** The tables of an experiment for one place and one kind of columns, and who works on them. */
final class Tables {
  private final Map<String, WorkloadTables> byPoint = new HashMap<>();
  private final List<Tally> tallies = new ArrayList<>();
  private final WorkloadTables first;

  /** Connections of the clients, which are kept from one measurement to the next. */
  private final JdbcPool pool;

  private boolean onlyTransactions = true;

  Tables(Experiment experiment, Targets targets, Place place, Columns columns) {
    for (Point point : experiment.points()) {
      Workload workload = point.workload().apply(columns);
      byPoint.put(
          point.label(), new WorkloadTables(workload, targets.at(place), place == Place.CLUSTER));
    }
    first = byPoint.get(experiment.points().get(0).label());
    pool = first.database().pool(experiment.clients());
  }

  void create(long seed) throws SQLException {
    first.create(seed);
  }

  /** The tables, with the workload of a point. */
  WorkloadTables of(Point point) {
    return byPoint.get(point.label());
  }

  /** What counts the transactions of clients of a mode. */
  Tally tally(Mode mode) {
    Tally tally = new Tally();
    onlyTransactions &= mode != Mode.AUTOCOMMIT;
    tallies.add(tally);
    return tally;
  }

  List<Finding> check() throws SQLException {
    Map<String, Long> committed = new HashMap<>();
    for (Tally tally : tallies) {
      tally.committed().forEach((type, count) -> committed.merge(type, count, Long::sum));
    }
    return first.check(committed, onlyTransactions);
  }

  JdbcPool pool() {
    return pool;
  }

  void drop() throws SQLException {
    pool.close();
    first.drop();
  }
}
