package org.abelian.router.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class ParameterTypesTest {
  @Test
  void usersTypesGetTheGivenNumbersWhereverParametersStand() {
    String facts =
        "[{\"parameters\":[23,16500],\"merge\":{\"combine_parameters\":[16500]},"
            + "\"made\":[{\"facts\":{\"parameters\":[4294967295]}}],\"relations\":[16500]}]";
    assertEquals(
        "[{\"parameters\":[23,16501],\"merge\":{\"combine_parameters\":[16501]},"
            + "\"made\":[{\"facts\":{\"parameters\":[0]}}],\"relations\":[16500]}]",
        ParameterTypes.translated(facts, type -> type + 1));
  }

  @Test
  void factsWithoutUsersTypesStayWhatTheyAre() {
    String facts = "[{\"parameters\": [23, 1009], \"merge\": null}]";
    assertSame(facts, ParameterTypes.translated(facts, type -> 0));
  }
}
