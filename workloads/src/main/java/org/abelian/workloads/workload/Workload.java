package org.abelian.workloads.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;

/**
 * A workload over tables of one kind of columns. Tables are named without a schema; whoever runs
 * the workload gives it one.
 */
public interface Workload {
  /** As commands, schemas and results name it. */
  String name();

  /** Types of its contended columns. */
  Columns columns();

  /** Statements that create its tables without rows. */
  List<String> create();

  /** Statements that place these over the nodes of a cluster. */
  List<String> place();

  /**
   * Loads the rows, the same for the same seed.
   *
   * @param connection in autocommit mode
   */
  void fill(Connection connection, long seed) throws SQLException;

  /** Statements that end the load: indexes and statistics. */
  List<String> finish();

  /** The procedures that do what its transactions do; empty where it has none. */
  default List<Procedure> procedures() {
    return List.of();
  }

  /**
   * What a client does.
   *
   * @param client its number, from 0
   */
  Script script(int client, long seed);

  /**
   * What must hold whenever no client is at work.
   *
   * @param committed transactions since the load, by type
   */
  List<Rule> rules(Map<String, Long> committed);

  /** What its size and its mix are, for results. */
  String description();
}
