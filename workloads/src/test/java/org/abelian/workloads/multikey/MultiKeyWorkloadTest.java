package org.abelian.workloads.multikey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.junit.jupiter.api.Test;

class MultiKeyWorkloadTest {
  @Test
  void aGetThatSeesPartOfAPutFails() {
    MultiKeyWorkload.requireWhole(List.of(new Object[] {3L}, new Object[] {3L}), 2);
    assertThrows(
        IllegalStateException.class,
        () -> MultiKeyWorkload.requireWhole(List.of(new Object[] {3L}, new Object[] {4L}), 2));
    assertThrows(
        IllegalStateException.class,
        () -> MultiKeyWorkload.requireWhole(List.<Object[]>of(new Object[] {3L}), 2));
  }

  @Test
  void theShareOfGetsIsAsAskedFor() {
    Script script =
        new MultiKeyWorkload(new MultiKeyOptions(5, 10, 30), Columns.PLAIN).script(0, 4);
    int gets = 0;
    for (int i = 0; i < 20_000; i++) {
      gets += script.next().type().equals("multi_get") ? 1 : 0;
    }
    assertEquals(6000, gets, 200, "seed 4");
  }

  @Test
  void aTransactionHasOneTo500Keys() {
    assertThrows(IllegalArgumentException.class, () -> new MultiKeyOptions(1, 501, 0));
    assertThrows(IllegalArgumentException.class, () -> new MultiKeyOptions(1, 0, 0));
  }
}
