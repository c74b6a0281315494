package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Test;

class RowCollectionTest {
  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static RowCollection rows(int columns, long limit, MemoryBudget memory) {
    return new RowCollection(columns, limit, memory);
  }

  private static String text(RowCollection rows, int column) {
    return new String(rows.arrays().get(column).toByteArray(), StandardCharsets.UTF_8);
  }

  @Test
  void columnsBecomeArrayLiterals() {
    RowCollection rows = rows(2, 1000, MemoryBudget.unlimited());
    rows.take(new byte[][] {bytes("1"), bytes("a\"b\\c")});
    rows.take(new byte[][] {bytes(null), bytes("NULL")});
    List<ByteQueue> arrays = rows.arrays();
    assertEquals("{\"1\",NULL}", new String(arrays.get(0).toByteArray(), StandardCharsets.UTF_8));
    assertEquals(
        "{\"a\\\"b\\\\c\",\"NULL\"}",
        new String(arrays.get(1).toByteArray(), StandardCharsets.UTF_8));
  }

  @Test
  void noRowsAreAnEmptyArray() {
    assertEquals("{}", text(rows(1, 10, MemoryBudget.unlimited()), 0));
  }

  @Test
  void aCollectionTakesNoMoreThanItsLimit() {
    RowCollection rows = rows(1, 100, MemoryBudget.unlimited());
    byte[][] row = {bytes("0123456789")};
    for (int i = 0; i < 7; i++) {
      rows.take(row);
    }
    assertEquals(9, rows.room());
    AbelianException error = assertThrows(AbelianException.class, () -> rows.take(row));
    assertEquals(SqlState.PROGRAM_LIMIT_EXCEEDED, error.state());
  }

  @Test
  void allCollectionsTogetherTakeNoMoreThanTheBudget() {
    MemoryBudget memory = new MemoryBudget(1 << 20);
    byte[][] row = {new byte[100_000]};
    RowCollection one = rows(1, 1 << 24, memory);
    RowCollection other = rows(1, 1 << 24, memory);
    one.take(row);
    AbelianException error =
        assertThrows(
            AbelianException.class,
            () -> {
              for (int i = 0; i < 100; i++) {
                other.take(row);
              }
            });
    assertEquals(SqlState.OUT_OF_MEMORY, error.state());
    assertTrue(memory.used() <= 1 << 20, memory::toString);
    one.close();
    other.close();
    assertEquals(0, memory.used());
  }
}
