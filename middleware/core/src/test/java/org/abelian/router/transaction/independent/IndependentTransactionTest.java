package org.abelian.router.transaction.independent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IndependentTransactionTest {
  private static IndependentTransaction transaction() {
    Map<Integer, LaneState> lanes = new LinkedHashMap<>();
    lanes.put(4, new LaneState(7, 100, true, true));
    lanes.put(2, new LaneState(9, 200, true, true));
    return new IndependentTransaction("u:1-1", lanes);
  }

  @Test
  void eachParticipantIsToldAllRunsAndItsOwnHorizon() {
    assertArrayEquals(
        new String[] {"u:1-1", "2", "{4,2}", "{7,9}", "200"}, transaction().proposal(2));
  }

  @Test
  void theTimestampIsTheGreatestProposal() {
    IndependentTransaction transaction = transaction();
    assertNull(transaction.take(300));
    assertNull(transaction.take(250));
    assertArrayEquals(
        new String[] {"u:1-1", "300", "2", "{4,2}", "CALL p()"},
        transaction.execution(2, "CALL p()"));
  }

  @Test
  void negativeAnswersAreRefusals() {
    assertEquals(Refusal.CLOSED, transaction().take(-1));
    assertEquals(Refusal.GATE, transaction().take(-4));
    assertEquals(Refusal.LOST, transaction().take(0));
  }
}
