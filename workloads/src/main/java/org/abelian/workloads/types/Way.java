package org.abelian.workloads.types;

import java.util.List;

/**
 * One way to write an idiom.
 *
 * @param name unique among all idioms; its tables bear it
 * @param setUp statements that make its tables
 * @param script what a client does again and again, one transaction for pgbench
 * @param check a query for what must hold after so many transactions ({@code %d}) as were
 *     committed; gives one boolean
 */
record Way(String name, List<String> setUp, String script, String check) {
  Way {
    setUp = List.copyOf(setUp);
  }
}
