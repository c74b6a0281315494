package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestoreTargetTest {
  @ParameterizedTest
  @CsvSource({
    "0.6.0, 0.6.0, true",
    "0.10.0, 0.9.0, true",
    "0.9.0, 0.10.0, false",
    "1.0, 0.9.9, true",
    "0.6, 0.6.0, false",
    "0.6.1, 0.6.0, true"
  })
  void versionsAreComparedByTheirNumbers(String version, String other, boolean isAtLeast) {
    assertEquals(isAtLeast, RestoreTarget.isAtLeast(version, other));
  }
}
