package org.abelian.workloads.types;

import java.util.List;

/**
 * Size of the benchmark.
 *
 * @param clients concurrent connections
 * @param seconds of each measurement
 * @param rounds of all variants
 * @param rows among which clients choose where nobody contends
 * @param idioms those to be measured; all if empty
 */
public record TypesOptions(int clients, int seconds, int rounds, int rows, List<String> idioms) {
  public TypesOptions {
    idioms = List.copyOf(idioms);
  }
}
