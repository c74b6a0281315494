package org.abelian.workloads.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MixTest {
  @Test
  void everyThingIsDrawnByItsWeight() {
    Mix<String> mix = new Mix<>(Map.of("a", 1.0, "b", 0.5, "c", 2.5));
    Map<String, Integer> drawn = new TreeMap<>();
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 40_000; i++) {
      drawn.merge(mix.draw(random.nextDouble()), 1, Integer::sum);
    }
    assertEquals(10_000, drawn.get("a"), 300, "seed 9");
    assertEquals(5_000, drawn.get("b"), 300, "seed 9");
    assertEquals(25_000, drawn.get("c"), 300, "seed 9");
  }

  @Test
  void nothingHasNoWeight() {
    assertThrows(IllegalArgumentException.class, () -> new Mix<>(Map.of("a", 0.0)));
  }
}
