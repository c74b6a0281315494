package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who names objects at which others wait learns which, in one order for all. */
class LockWaitsTest {
  private final LockWaits<String> awaited = new LockWaits<>();

  @Test
  void anObjectIsAwaitedAsLongAsAnybodyWaits() {
    assertEquals(List.of(), awaited.among(List.of("a")));
    awaited.enter(List.of("a", "x"));
    awaited.enter(List.of("a"));
    awaited.leave(List.of("a", "x"));
    assertEquals(List.of("a"), awaited.among(List.of("z", "a")));
    assertEquals(List.of(), awaited.among(List.of("x")));
    awaited.leave(List.of("a"));
    assertEquals(List.of(), awaited.among(List.of("a")));
    assertEquals(0, awaited.size());
  }

  @Test
  void whatSomebodyHasPassedIsNotAwaitedUntilSomebodyElseEnters() {
    awaited.enter(List.of("a", "b"));
    awaited.enter(List.of("a"));
    awaited.free(List.of("a"));
    assertEquals(List.of("b"), awaited.among(List.of("a", "b")));
    awaited.leave(List.of("a", "b"));
    awaited.leave(List.of("a"));
    assertEquals(0, awaited.size());
    awaited.enter(List.of("a"));
    assertEquals(List.of("a"), awaited.among(List.of("a")));
  }

  @Test
  void ofSeveralAwaitedObjectsAllLearnTheSame() {
    awaited.enter(List.of("c", "a", "b"));
    assertEquals(List.of("a", "b"), awaited.among(List.of("a", "b")));
    assertEquals(List.of("a", "b"), awaited.among(List.of("b", "a", "e")));
    assertEquals(List.of("b", "c"), awaited.among(List.of("d", "c", "b")));
  }
}
