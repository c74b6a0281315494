package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Recovery comes to an end with everything, however much has piled up while it could not. */
class IntentRecoveryTest {
  private static final UUID ROUTER = new UUID(0, 1);
  private static final List<Integer> NODES = List.of(1, 2);
  private static final Intent INTENT = new Intent(NODES, "{}");

  /** A node deletes no more at once, for lack of time. */
  private static final long DELETED_MAX = 20_000;

  private final IntentLedger ledger = new IntentLedger(new GidSource(ROUTER));
  private final Map<Integer, Long> horizons = new HashMap<>(Map.of(1, 1L, 2, 1L));
  private int unreachable;
  private final IntentNetwork network =
      (IntentNetwork)
          Proxy.newProxyInstance(
              IntentNetwork.class.getClassLoader(),
              new Class<?>[] {IntentNetwork.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "nodes" -> {
                    return NODES;
                  }
                  case "forget" -> {
                    forget((int) arguments[0], (long) arguments[2]);
                    return null;
                  }
                  default -> throw new AssertionError(method);
                }
              });
  private final IntentRecovery recovery =
      new IntentRecovery(network, ledger, ROUTER, Duration.ZERO);

  private void forget(int node, long below) throws NodeUnreachableException {
    if (node == unreachable || below - horizons.get(node) > DELETED_MAX) {
      throw new NodeUnreachableException(node, "canceling statement due to timeout", null);
    }
    horizons.put(node, below);
  }

  private void commit(int count) {
    for (int i = 0; i < count; i++) {
      ledger.over(ledger.begin(1, INTENT));
    }
  }

  @Test
  void whatHasPiledUpBehindOneTransactionIsForgottenInSteps() {
    Gid stuck = ledger.begin(1, INTENT);
    commit(100_000);
    recovery.forget();
    assertEquals(Map.of(1, 1L, 2, 1L), horizons);
    ledger.over(stuck);
    recovery.forget();
    assertEquals(Map.of(1, 100_002L, 2, 100_002L), horizons);
  }

  @Test
  void aNodeThatWasAwayCatchesUpAndKeepsTheOthersFromNothing() {
    unreachable = 2;
    commit(50_000);
    recovery.forget();
    assertEquals(Map.of(1, 50_001L, 2, 1L), horizons);
    unreachable = 0;
    recovery.forget();
    assertEquals(Map.of(1, 50_001L, 2, 50_001L), horizons);
  }

  @Test
  void whatSessionsHaveLeftIsTriedInTurns() {
    Set<Long> left = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      Gid gid = ledger.begin(1, INTENT);
      ledger.leave(gid, false);
      left.add(gid.number());
    }
    for (int round = 0; round < 3; round++) {
      ledger.left(2).forEach(open -> left.remove(open.gid().number()));
    }
    assertTrue(left.isEmpty(), "never tried: " + left);
    assertEquals(5, ledger.left(100).size());
  }
}
