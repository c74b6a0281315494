package org.abelian.router.combining;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who names objects at which others wait joins them at one, and the same for all who share two. */
class AwaitedTest {
  private final Awaited<String> awaited = new Awaited<>();

  @Test
  void anObjectIsAwaitedAsLongAsAnybodyWaits() {
    assertNull(awaited.first(List.of("a")));
    awaited.enter(List.of("a", "x"));
    awaited.enter(List.of("a"));
    awaited.leave(List.of("a", "x"));
    assertEquals("a", awaited.first(List.of("z", "a")));
    assertNull(awaited.first(List.of("x")));
    awaited.leave(List.of("a"));
    assertNull(awaited.first(List.of("a")));
    assertEquals(0, awaited.size());
  }

  @Test
  void ofSeveralAwaitedObjectsAllChooseTheSame() {
    awaited.enter(List.of("c", "a", "b"));
    assertEquals("a", awaited.first(List.of("a", "b")));
    assertEquals("a", awaited.first(List.of("b", "a")));
    assertEquals("b", awaited.first(List.of("d", "c", "b")));
  }
}
