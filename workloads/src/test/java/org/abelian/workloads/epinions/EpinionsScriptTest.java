package org.abelian.workloads.epinions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EpinionsScriptTest {
  private static final int DRAWS = 50_000;
  private static final EpinionsOptions OPTIONS = new EpinionsOptions(100);
  private final Opinions opinions = new Opinions(OPTIONS, 3);

  @Test
  void typesHaveTheSharesOfTheBenchmark() {
    EpinionsScript script = new EpinionsScript(opinions, 5);
    Map<EpinionsType, Integer> counts = new EnumMap<>(EpinionsType.class);
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(
          EpinionsType.valueOf(script.next().type().toUpperCase(Locale.ROOT)), 1, Integer::sum);
    }
    counts.forEach(
        (type, count) ->
            assertEquals(type.percent() * DRAWS / 100, count, 0.01 * DRAWS, type + ", seed 5"));
    assertEquals(EpinionsType.values().length, counts.size());
  }

  @Test
  void theSameSeedGivesTheSameOpinions() {
    Opinions again = new Opinions(OPTIONS, 3);
    for (int item = 1; item <= OPTIONS.items(); item++) {
      assertArrayEquals(opinions.reviewers(item), again.reviewers(item));
    }
    for (int user = 1; user <= OPTIONS.users(); user++) {
      assertArrayEquals(opinions.trusted(user), again.trusted(user));
    }
  }

  @Test
  void popularItemsHaveMoreReviewsAndAreAskedForMoreOften() {
    assertTrue(opinions.reviewers(1).length > 2 * opinions.reviewers(10).length);
    int[] counts = new int[OPTIONS.items() + 1];
    SplittableRandom random = new SplittableRandom(9);
    IntStream.range(0, DRAWS).forEach(i -> counts[opinions.item(random)]++);
    double harmonic = IntStream.rangeClosed(1, OPTIONS.items()).mapToDouble(k -> 1.0 / k).sum();
    assertEquals(DRAWS / harmonic, counts[1], 0.01 * DRAWS, "seed 9");
    assertEquals(DRAWS / harmonic / 10, counts[10], 0.01 * DRAWS, "seed 9");
  }
}
