package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Test;

class PartCollectionTest {
  private static final long ENOUGH = 10_000;

  /** Two parts, of two columns and of one; the first is divided by its first letter. */
  private static PartCollection collection(long limit) {
    Map<Integer, ToIntFunction<byte[][]>> targets = Map.of(0, row -> row[0][0] - 'a');
    return new PartCollection(List.of(2, 1), true, targets, 3, limit, MemoryBudget.unlimited());
  }

  private static byte[][] row(String... values) {
    return Arrays.stream(values)
        .map(value -> value == null ? null : value.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  private static List<String> texts(List<ByteQueue> arrays) {
    return arrays.stream()
        .map(array -> new String(array.toByteArray(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void eachTargetGetsItsShareOfADividedPartAndAllOfTheOthers() {
    PartCollection rows = collection(ENOUGH);
    rows.take(row("0", "c", "1", null));
    rows.take(row("1", null, null, "x"));
    rows.take(row("0", "a", "2", null));
    rows.take(row("0", "c", "3", null));
    List<List<ByteQueue>> arrays = rows.arrays(3);
    assertEquals(List.of("{\"a\"}", "{\"2\"}", "{\"x\"}"), texts(arrays.get(0)));
    assertEquals(List.of("{}", "{}", "{\"x\"}"), texts(arrays.get(1)));
    assertEquals(List.of("{\"c\",\"c\"}", "{\"1\",\"3\"}", "{\"x\"}"), texts(arrays.get(2)));
  }

  @Test
  void aDividedPartIsNotGivenAsAWhole() {
    PartCollection rows = collection(ENOUGH);
    assertThrows(IllegalStateException.class, rows::arrays);
    assertThrows(IllegalStateException.class, rows::parts);
  }

  @Test
  void theLimitIsOfAllPartsAndSharesTogether() {
    PartCollection rows = collection(30);
    rows.take(row("0", "a", "1", null));
    rows.take(row("0", "b", "1", null));
    rows.take(row("0", "c", "1", null));
    assertEquals(6, rows.room());
    AbelianException error =
        assertThrows(AbelianException.class, () -> rows.take(row("1", null, null, "1234")));
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, error.state());
  }
}
