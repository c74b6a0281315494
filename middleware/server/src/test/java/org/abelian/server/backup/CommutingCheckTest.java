package org.abelian.server.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.abelian.server.backup.CommutingCheck.Id;
import org.abelian.server.backup.CommutingCheck.Seen;
import org.junit.jupiter.api.Test;

class CommutingCheckTest {
  private static final Id FIFTH = new Id("r", 5);
  private static final Map<Id, List<Integer>> HAS = Map.of(FIFTH, List.of(1, 2));

  private static Optional<String> torn(Map<Id, List<Integer>> second, Map<String, Long> horizons) {
    return CommutingCheck.torn(List.of(new Seen(1, HAS, Map.of()), new Seen(2, second, horizons)));
  }

  @Test
  void whatIsOnAllOfItsNodesIsWhole() {
    assertEquals(Optional.empty(), torn(HAS, Map.of()));
  }

  @Test
  void whatAnotherNodeLacksIsTorn() {
    assertTrue(torn(Map.of(), Map.of()).orElse("").contains("transaction 5 of router r"));
  }

  @Test
  void aRowThatWentWithItsHorizonIsNotLacking() {
    assertEquals(Optional.empty(), torn(Map.of(), Map.of("r", 6L)));
  }

  @Test
  void aHorizonBelowItOrOfAnotherRouterSaysNothing() {
    assertTrue(torn(Map.of(), Map.of("r", 5L)).isPresent());
    assertTrue(torn(Map.of(), Map.of("s", 9L)).isPresent());
  }

  @Test
  void aNodeThatIsNoLongerInTheClusterLacksNothing() {
    assertEquals(
        Optional.empty(),
        CommutingCheck.torn(List.of(new Seen(1, Map.of(FIFTH, List.of(1, 9)), Map.of()))));
  }
}
