package org.abelian.harness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Which cases of a matrix one run tries, such as faults at each step of a commit. Each takes
 * seconds, so that a run draws a third of them, anew each time: {@code -Dabelian.seed} repeats a
 * run, and {@code -Dabelian.cases.share=1} tries all.
 */
public final class CaseShare {
  private static final double SHARE =
      Double.parseDouble(System.getProperty("abelian.cases.share", "0.34"));

  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private CaseShare() {}

  /** The cases of this run, in their order; at least one. The seed is printed. */
  public static <T> Stream<T> of(Stream<T> cases) {
    List<T> all = cases.toList();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < all.size(); place++) {
      places.add(place);
    }
    Collections.shuffle(places, new Random(SEED));
    int count = Math.min(all.size(), (int) Math.max(1, Math.ceil(SHARE * all.size())));
    System.out.printf("%d of %d cases, of seed %d%n", count, all.size(), SEED);
    return places.subList(0, count).stream().sorted().map(all::get);
  }
}
