package org.abelian.workloads.tpcc.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LastNameTest {
  @Test
  void aNameHasTheSyllablesOfItsThreeDigits() {
    assertEquals("BARBARBAR", LastName.of(0));
    assertEquals("PRICALLYOUGHT", LastName.of(371));
    assertEquals("EINGEINGEING", LastName.of(999));
  }

  @Test
  void thousandNumbersGiveThousandNames() {
    assertEquals(1000, IntStream.range(0, 1000).mapToObj(LastName::of).distinct().count());
  }

  @Test
  void otherNumbersAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> LastName.of(1000));
    assertThrows(IllegalArgumentException.class, () -> LastName.of(-1));
  }
}
