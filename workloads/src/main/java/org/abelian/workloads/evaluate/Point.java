package org.abelian.workloads.evaluate;

import java.util.function.Function;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Workload;

/**
 * One load of an experiment. All points of an experiment share tables.
 *
 * @param label as results name it; empty where there is only one
 * @param workload makes the workload, for each kind of columns and each place a new one
 */
public record Point(String label, Function<Columns, Workload> workload) {
  /** The name of an arm's row. */
  String row(Arm arm) {
    return label.isEmpty() ? arm.label() : arm.label() + ": " + label;
  }
}
