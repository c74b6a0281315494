package org.abelian.workloads.evaluate;

import org.abelian.workloads.client.Mode;
import org.abelian.workloads.workload.Columns;

/** One of the ways that an experiment compares. */
public record Arm(Place place, Columns columns, Mode mode) {
  /** As results name it: what has plain columns on one PostgreSQL is what everybody has. */
  public String label() {
    String where =
        switch (place) {
          case ONE -> columns.choose("plain PostgreSQL", "one node");
          case CLUSTER -> columns.choose("three nodes in plain columns", "three nodes");
        };
    return where + ", " + mode.label();
  }
}
