package org.abelian.workloads.evaluate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.abelian.workloads.client.Mode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CatalogueTest {
  static List<Size> sizes() {
    return List.of(Size.QUICK, Size.FULL);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void experimentsHaveDifferentNamesAndCompareWhatTheyMeasure(Size size) {
    List<Experiment> experiments = Catalogue.of(size);
    assertEquals(
        experiments.size(),
        experiments.stream().map(Experiment::name).collect(Collectors.toSet()).size());
    for (Experiment experiment : experiments) {
      for (Comparison each : experiment.comparisons()) {
        assertTrue(experiment.arms().contains(each.over()), experiment.name());
        assertTrue(experiment.arms().contains(each.under()), experiment.name());
      }
    }
  }

  /** The router refuses transactions of several nodes above READ COMMITTED. */
  @ParameterizedTest
  @MethodSource("sizes")
  void nothingIsSerializableOnSeveralNodes(Size size) {
    for (Experiment experiment : Catalogue.of(size)) {
      for (Arm arm : experiment.arms()) {
        assertTrue(arm.place() == Place.ONE || arm.mode() != Mode.SERIALIZABLE, arm.label());
      }
    }
  }
}
