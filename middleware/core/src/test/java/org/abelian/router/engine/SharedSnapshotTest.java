package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What names of portals say. */
class SharedSnapshotTest {
  @Test
  void neighboursBecomeRanges() {
    assertEquals("7", SharedSnapshot.ranges(List.of(7)));
    assertEquals("1-3,7", SharedSnapshot.ranges(List.of(1, 2, 3, 7)));
    assertEquals("1,3-4", SharedSnapshot.ranges(List.of(1, 3, 4)));
    assertEquals("", SharedSnapshot.ranges(List.of()));
  }
}
