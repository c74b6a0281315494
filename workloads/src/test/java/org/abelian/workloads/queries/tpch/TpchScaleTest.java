package org.abelian.workloads.queries.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TpchScaleTest {
  @ParameterizedTest
  @ValueSource(doubles = {0.001, 0.002, 0.003, 0.0042, 0.01, 0.1, 1})
  void everyPartHasFourSuppliers(double factor) {
    TpchScale scale = new TpchScale(factor);
    for (int part = 1; part <= scale.parts(); part++) {
      int key = part;
      assertEquals(
          4,
          IntStream.range(0, 4)
              .map(place -> scale.supplier(key, place))
              .filter(supplier -> supplier >= 1 && supplier <= scale.suppliers())
              .boxed()
              .collect(Collectors.toSet())
              .size(),
          "part " + part + " at " + factor);
    }
  }
}
