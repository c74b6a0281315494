package org.abelian.workloads.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.junit.jupiter.api.Test;

class BankWorkloadTest {
  @Test
  void aSumThatShowsHalfOfATransferFails() {
    BankWorkload.requireZero(new BigDecimal("0.00"));
    assertThrows(IllegalStateException.class, () -> BankWorkload.requireZero(new BigDecimal("-3")));
  }

  @Test
  void theShareOfSumsIsAsAskedFor() {
    Script script = new BankWorkload(2, 10, Columns.PLAIN).script(0, 4);
    int sums = 0;
    for (int i = 0; i < 20_000; i++) {
      sums += script.next().type().equals("sum") ? 1 : 0;
    }
    assertEquals(2000, sums, 150, "seed 4");
  }
}
