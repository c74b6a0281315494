package org.abelian.workloads.workload;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.abelian.harness.LocalNode;
import org.abelian.workloads.client.Mode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A small workload on one node, of which each class of tests has one. */
public abstract class OneNodeTrial {
  private final LocalNode node;

  /** On this node. */
  protected OneNodeTrial(LocalNode node) {
    this.node = node;
  }

  /** The workload. */
  protected abstract Workload small(Columns columns);

  /** The labels of all types of its transactions. */
  protected abstract Set<String> types();

  /** The modes that it has. */
  protected List<Mode> modes() {
    return Trial.STATEMENTS;
  }

  /** Loads its tables. */
  protected final Trial trial(Columns columns) throws SQLException {
    return Trial.on(node, small(columns));
  }

  @ParameterizedTest
  @EnumSource
  protected void everyModeKeepsTheRules(Columns columns) throws Exception {
    try (Trial trial = trial(columns)) {
      trial.requireConsistent();
      trial.runEach(modes(), types());
    }
  }
}
