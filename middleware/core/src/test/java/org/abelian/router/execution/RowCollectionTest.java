package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowCollectionTest {
  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void columnsBecomeArrayLiterals() {
    RowCollection rows = new RowCollection(2, 1000);
    rows.add(new byte[][] {bytes("1"), bytes("a\"b\\c")});
    rows.add(new byte[][] {bytes(null), bytes("NULL")});
    List<byte[]> arrays = rows.arrays();
    assertEquals("{\"1\",NULL}", new String(arrays.get(0), StandardCharsets.UTF_8));
    assertEquals("{\"a\\\"b\\\\c\",\"NULL\"}", new String(arrays.get(1), StandardCharsets.UTF_8));
  }

  @Test
  void noRowsAreAnEmptyArray() {
    assertEquals(
        "{}", new String(new RowCollection(1, 10).arrays().get(0), StandardCharsets.UTF_8));
  }

  @Test
  void memoryIsBounded() {
    RowCollection rows = new RowCollection(1, 100);
    for (int i = 0; i < 50; i++) {
      rows.add(new byte[][] {bytes("0123456789")});
    }
    assertTrue(rows.isOverLimit());
    assertEquals(50, rows.rows());
    assertTrue(rows.arrays().get(0).length < 200);
  }
}
