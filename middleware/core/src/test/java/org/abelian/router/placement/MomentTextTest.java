package org.abelian.router.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.abelian.router.error.AbelianException;
import org.junit.jupiter.api.Test;

class MomentTextTest {
  @Test
  void namesOfMonthsAreOfAnyOrder() {
    long moment = MomentText.timestamp("2027-09-29 01:02:03.5", false);
    assertEquals(moment, MomentText.timestamp("Wed Sep 29 01:02:03.5 2027", false));
    assertEquals(moment, MomentText.timestamp("Wed 29 Sep 01:02:03.5 2027", false));
    assertEquals(
        MomentText.timestamp("0044-03-15 00:00:00 BC", false),
        MomentText.timestamp("Fri Mar 15 00:00:00 0044 BC", false));
  }

  /** The name of a zone means what the settings of the node say. */
  @Test
  void namesOfZonesAreLeftToPostgres() {
    assertThrows(
        AbelianException.class, () -> MomentText.timestamp("Wed Sep 29 01:02:03 2027 PDT", true));
    assertThrows(
        AbelianException.class, () -> MomentText.timestamp("Wed Sep 29 01:02:03 2027", true));
    assertThrows(
        AbelianException.class, () -> MomentText.timestamp("Wed Sep 31 01:02:03 2027", false));
  }
}
