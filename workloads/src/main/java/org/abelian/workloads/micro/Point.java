package org.abelian.workloads.micro;

import java.util.Locale;

/**
 * A load: which share of the statements are operations, and how unequal the objects' popularity is.
 *
 * @param adds percent of operations; the others are reads
 * @param zipf exponent of the Zipf distribution; 0 is uniform
 */
public record Point(int adds, double zipf) {
  /** As tables name it. */
  public String label() {
    return "%d%% adds, zipf %s".formatted(adds, String.format(Locale.ROOT, "%.2f", zipf));
  }
}
