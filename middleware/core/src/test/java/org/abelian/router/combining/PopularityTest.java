package org.abelian.router.combining;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who names contended objects gathers at one of them, and the same for all who share two. */
class PopularityTest {
  private final Popularity<String> popularity = new Popularity<>(3);

  @Test
  void anObjectIsContendedFromTheThirdOn() {
    assertNull(popularity.enter(List.of("a", "x")));
    assertNull(popularity.enter(List.of("a", "y")));
    assertEquals("a", popularity.enter(List.of("z", "a")));
    popularity.leave(List.of("a", "x"));
    popularity.leave(List.of("a", "y"));
    assertNull(popularity.enter(List.of("a")));
  }

  @Test
  void ofSeveralContendedObjectsAllChooseTheSame() {
    for (int i = 0; i < 2; i++) {
      popularity.enter(List.of("a", "b"));
    }
    assertEquals("a", popularity.enter(List.of("a", "b")));
    assertEquals("a", popularity.enter(List.of("b", "a")));
    assertEquals("b", popularity.enter(List.of("b", "c")));
  }

  @Test
  void whatHasEndedIsForgotten() {
    popularity.enter(List.of("a", "b"));
    popularity.enter(List.of("a"));
    popularity.leave(List.of("a"));
    popularity.leave(List.of("a", "b"));
    assertEquals(0, popularity.size());
  }
}
