package org.abelian.workloads.workload;

import java.util.List;

/** The tables of a workload, in one kind of columns: how they are made and placed. */
public interface Schema {
  /** Types of the contended columns. */
  Columns columns();

  /** Statements that create the tables without rows. */
  List<String> create();

  /** Statements that place these over the nodes of a cluster. */
  List<String> place();

  /** Statements that end the load: indexes and statistics. */
  List<String> finish();
}
