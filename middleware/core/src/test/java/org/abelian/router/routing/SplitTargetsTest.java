package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.placement.PartitionHash;
import org.junit.jupiter.api.Test;

class SplitTargetsTest {
  private static ToIntFunction<byte[][]> target(MergeFacts.Split split, List<Integer> nodes) {
    Map<Integer, ToIntFunction<byte[][]>> all =
        SplitTargets.of(List.of(split), TestCatalog.threeNodes(), nodes);
    return all.get(split.part());
  }

  private static ToIntFunction<byte[][]> like(String table, int type, List<Integer> nodes) {
    return target(new MergeFacts.Split(4, 1, type, "public", table), nodes);
  }

  private static byte[][] row(String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    return new byte[][] {"other".getBytes(StandardCharsets.UTF_8), bytes};
  }

  @Test
  void aRowGoesWhereTheTableHasItsKey() {
    for (List<Integer> nodes : List.of(List.of(1, 2, 3), List.of(3, 1, 2))) {
      for (int key = -50; key < 50; key++) {
        int partition = PartitionHash.partition(key, TestCatalog.PARTITIONS);
        int node = TestCatalog.BY_NUMBER.nodeOf(partition);
        for (int type : new int[] {PgType.INT2, PgType.INT4, PgType.INT8}) {
          int target = like("orders", type, nodes).applyAsInt(row(Integer.toString(key)));
          assertEquals(node, nodes.get(target), "key " + key);
        }
      }
    }
  }

  @Test
  void equalTextsOfBothTypesMeet() {
    List<Integer> nodes = List.of(1, 2, 3);
    Set<Integer> used = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      byte[][] row = row("k" + i);
      int target = like("people", PgType.TEXT, nodes).applyAsInt(row);
      assertEquals(target, like("people", PgType.VARCHAR, nodes).applyAsInt(row));
      used.add(target);
    }
    assertEquals(Set.of(0, 1, 2), used);
  }

  @Test
  void aRowThatCanMatchNothingGoesToTheFirstNode() {
    List<Integer> two = List.of(2, 3);
    Set<Integer> ofTheMissing = new HashSet<>();
    for (int key = 0; key < 50; key++) {
      int node = TestCatalog.BY_NUMBER.nodeOf(PartitionHash.partition(key, TestCatalog.PARTITIONS));
      int target = like("orders", PgType.INT4, two).applyAsInt(row(Integer.toString(key)));
      if (node == 1) {
        ofTheMissing.add(target);
      } else {
        assertEquals(node, two.get(target));
      }
    }
    assertEquals(Set.of(0), ofTheMissing);
    assertEquals(0, like("orders", PgType.INT4, two).applyAsInt(row(null)));
  }

  @Test
  void byHashEqualNumbersOfAllWidthsMeetAndAllNodesAreUsed() {
    List<Integer> nodes = List.of(1, 2, 3);
    Set<Integer> used = new HashSet<>();
    for (int key = 0; key < 100; key++) {
      byte[][] row = row(Integer.toString(key));
      int target =
          target(new MergeFacts.Split(0, 1, PgType.INT4, null, null), nodes).applyAsInt(row);
      int wider =
          target(new MergeFacts.Split(7, 1, PgType.INT8, null, null), nodes).applyAsInt(row);
      assertEquals(target, wider);
      used.add(target);
    }
    assertEquals(Set.of(0, 1, 2), used);
    assertTrue(
        target(new MergeFacts.Split(0, 1, PgType.UUID, null, null), nodes)
                .applyAsInt(row("00000000-0000-0000-0000-000000000001"))
            < 3);
    assertEquals(
        0,
        target(new MergeFacts.Split(0, 1, PgType.INT4, null, null), nodes).applyAsInt(row(null)));
  }

  @Test
  void onlyTypesWithOneTextForEachValueAreDividedBy() {
    MergeFacts.Split split = new MergeFacts.Split(0, 1, PgType.NUMERIC, null, null);
    assertThrows(IllegalArgumentException.class, () -> target(split, List.of(1, 2)));
    assertThrows(IllegalStateException.class, () -> like("items", PgType.INT4, List.of(1, 2)));
  }
}
