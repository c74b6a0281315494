package org.abelian.workloads.types;

import java.util.List;

/**
 * One way to write an idiom.
 *
 * @param name unique among all idioms; its tables bear it
 * @param setUp statements that make its tables
 * @param script what a client does again and again, one transaction for pgbench
 * @param beside what as many others do meanwhile, who are not measured; empty for nobody
 * @param check a query for what must hold after so many transactions ({@code %d}) as were
 *     committed, by the others if there are some; gives one boolean
 */
record Way(String name, List<String> setUp, String script, String beside, String check) {
  Way {
    setUp = List.copyOf(setUp);
  }

  /** One without others beside. */
  Way(String name, List<String> setUp, String script, String check) {
    this(name, setUp, script, "", check);
  }

  /** Whether others work beside those who are measured. */
  boolean hasOthers() {
    return !beside.isEmpty();
  }
}
