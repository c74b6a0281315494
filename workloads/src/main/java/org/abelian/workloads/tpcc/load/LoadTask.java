package org.abelian.workloads.tpcc.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.workloads.tpcc.random.TpccRandom;

/** A part of the initial population that one connection loads. */
interface LoadTask {
  /** Name that is unique within a load; it also seeds the task's random values. */
  String name();

  /**
   * Inserts and commits the task's rows.
   *
   * @param connection not in autocommit mode
   * @param rows counts committed rows
   */
  void load(Connection connection, TpccRandom random, LongAdder rows) throws SQLException;
}
