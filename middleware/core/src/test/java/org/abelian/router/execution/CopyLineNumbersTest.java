package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CopyLineNumbersTest {
  @Test
  void aNodesLineIsTheClientsLineThatItGot() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    CopyLineNumbers numbers = new CopyLineNumbers(3);
    List<List<Integer>> lines = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int line = 1; line <= 5000; line++) {
      int node = line == 1 ? CopyLineNumbers.ALL : random.nextInt(3);
      numbers.add(node);
      for (int i = 0; i < 3; i++) {
        if (node == i || node == CopyLineNumbers.ALL) {
          lines.get(i).add(line);
        }
      }
    }
    for (int probe = 0; probe < 200; probe++) {
      int node = random.nextInt(3);
      int own = random.nextInt(lines.get(node).size());
      assertEquals(
          (long) lines.get(node).get(own), numbers.ofClient(node, own + 1L), "seed " + seed);
    }
    assertEquals(5001, numbers.ofClient(0, lines.get(0).size() + 1L));
  }

  @Test
  void lineFeedsInsideQuotesCountFromTheSecondLineOn() {
    CopyLineNumbers numbers = new CopyLineNumbers(2);
    numbers.add(0, 0, 1); // the client's line 1, and the node's
    numbers.add(1, 0, 0);
    numbers.add(1, 0, 2); // 3 to 5, and the node's 2 to 4
    numbers.add(0, 0, 1); // 6 and 7, and the node's 2 and 3
    assertEquals(7, numbers.ofClient(0, 3));
    assertEquals(5, numbers.ofClient(1, 4));
    CopyLineNumbers later = new CopyLineNumbers(2);
    later.add(0, 0, 0);
    later.add(1, 0, 1); // 2 and 3, and the node's 1
    later.add(1, 0, 0);
    assertEquals(3, later.ofClient(1, 1));
    assertEquals(4, later.ofClient(1, 2));
  }

  @Test
  void carriageReturnsInsideQuotesCountInTheFirstLine() {
    CopyLineNumbers numbers = new CopyLineNumbers(2);
    numbers.add(0, 2, 0); // 1 to 3 of both
    numbers.add(1, 2, 1); // 4 and 5, and the node's 1 to 3
    numbers.add(1, 2, 0); // 6, and the node's 4
    assertEquals(3, numbers.ofClient(0, 3));
    assertEquals(5, numbers.ofClient(1, 3));
    assertEquals(6, numbers.ofClient(1, 4));
  }

  @Test
  void aLineOfLongAgoIsNotKnown() {
    CopyLineNumbers numbers = new CopyLineNumbers(2);
    for (int line = 0; line < 5_000_000; line++) {
      numbers.add(line & 1);
    }
    assertEquals(-1, numbers.ofClient(0, 1));
    assertEquals(4_999_999, numbers.ofClient(0, 2_500_000));
  }
}
