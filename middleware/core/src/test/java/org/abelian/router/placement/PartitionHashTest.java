package org.abelian.router.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PartitionHashTest {
  @Test
  void theFunctionNeverChangesSinceRowsLieByIt() {
    assertEquals(0, PartitionHash.partition(0, 32));
    assertEquals(19, PartitionHash.partition(1, 32));
    assertEquals(7, PartitionHash.partition(2, 32));
    assertEquals(12, PartitionHash.partition(-1, 32));
    assertEquals(22_318, PartitionHash.partition(123_456_789_012L, 65_536));
    assertEquals(0xCBF29CE484222325L, text(""));
    assertEquals(0xAF63DC4C8601EC8CL, text("a"));
    assertEquals(0x85944171F73967E8L, text("foobar"));
  }

  @Property
  void everyKeyHasAPartition(
      @ForAll long key, @ForAll @IntRange(min = 1, max = 1 << 20) int count) {
    int partition = PartitionHash.partition(key, count);
    assertTrue(partition >= 0 && partition < count);
  }

  @Test
  void consecutiveNumbersSpreadEvenly() {
    assertBalanced("consecutive", 1.15, key -> key);
    assertBalanced("consecutive from a million", 1.15, key -> key + 1_000_000);
    assertBalanced("negative", 1.15, key -> -key);
  }

  @Test
  void numbersInStridesSpreadEvenly() {
    for (int stride : new int[] {2, 3, 7, 10, 16, 32, 64, 100, 1_000, 1_024, 65_536}) {
      assertBalanced("stride " + stride, 1.5, key -> key * stride);
    }
  }

  @Test
  void randomNumbersAndTextsSpreadEvenly() {
    SplittableRandom random = new SplittableRandom(1);
    assertBalanced("random", 1.4, key -> random.nextLong());
    assertBalanced("texts", 1.4, key -> text("user" + key));
    assertBalanced("long texts", 1.4, key -> text("https://example.org/people/" + key + "/home"));
  }

  @Test
  void fewWarehousesAreSharedByAllNodes() {
    int[] perNode = new int[4];
    for (int warehouse = 1; warehouse <= 6; warehouse++) {
      perNode[1 + PartitionHash.partition(warehouse, 32) * 3 / 32]++;
    }
    for (int node = 1; node <= 3; node++) {
      assertEquals(2, perNode[node], "warehouses on node " + node);
    }
  }

  private static long text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return PartitionHash.ofBytes(bytes, 0, bytes.length);
  }

  private static void assertBalanced(String what, double overMeanMax, LongUnaryOperator keys) {
    int count = 32;
    int each = 1_000;
    int[] filled = new int[count];
    for (long at = 0; at < (long) count * each; at++) {
      filled[PartitionHash.partition(keys.applyAsLong(at), count)]++;
    }
    for (int partition = 0; partition < count; partition++) {
      assertTrue(
          filled[partition] < overMeanMax * each && filled[partition] > each / overMeanMax,
          what + ": partition " + partition + " has " + filled[partition] + " of " + each);
    }
  }
}
