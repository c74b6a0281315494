package org.abelian.router.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AnalysisCacheTest {
  @Test
  void everyPartOfTheKeyCounts() {
    AnalysisCache<Integer> cache = new AnalysisCache<>(10, 1_000_000);
    cache.put(new AnalysisKey("SELECT", List.of(23), "public", 1), 1, 10);
    assertEquals(Optional.of(1), cache.get(new AnalysisKey("SELECT", List.of(23), "public", 1)));
    assertEquals(Optional.empty(), cache.get(new AnalysisKey("SELECT ", List.of(23), "public", 1)));
    assertEquals(Optional.empty(), cache.get(new AnalysisKey("SELECT", List.of(20), "public", 1)));
    assertEquals(Optional.empty(), cache.get(new AnalysisKey("SELECT", List.of(23), "other", 1)));
    assertEquals(Optional.empty(), cache.get(new AnalysisKey("SELECT", List.of(23), "public", 2)));
  }

  @Property
  void itNeverGrowsBeyondItsBounds(
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 60) Integer> texts,
      @ForAll @IntRange(min = 1, max = 20) int entriesMax,
      @ForAll @IntRange(min = 1, max = 50_000) int bytesMax) {
    AnalysisCache<Integer> cache = new AnalysisCache<>(entriesMax, bytesMax);
    for (int text : texts) {
      cache.get(key(text / 2));
      cache.put(key(text), text, 40L * text);
      assertTrue(cache.size() <= entriesMax);
      assertTrue(cache.bytes() <= bytesMax);
      assertTrue(cache.size() > 0 || cache.bytes() == 0, "bytes are given back");
      cache.get(key(text)).ifPresent(kept -> assertEquals(text, kept));
    }
  }

  @Test
  void whatIsUsedOutlivesWhatIsNot() {
    AnalysisCache<Integer> cache = new AnalysisCache<>(10, 1_000_000);
    cache.put(key(0), 0, 10);
    for (int text = 1; text < 1_000; text++) {
      assertEquals(Optional.of(0), cache.get(key(0)));
      cache.put(key(text), text, 10);
    }
  }

  @Test
  void aHugeTextDoesNotEmptyTheCache() {
    AnalysisCache<Integer> cache = new AnalysisCache<>(10, 100_000);
    cache.put(key(1), 1, 10);
    cache.put(key(2), 2, 90_000);
    assertEquals(Optional.of(1), cache.get(key(1)));
    assertEquals(Optional.empty(), cache.get(key(2)));
    cache.clear();
    assertEquals(0, cache.size());
    assertEquals(0, cache.bytes());
  }

  private static AnalysisKey key(int text) {
    return new AnalysisKey("SELECT " + text, List.of(), "public", 1);
  }
}
