package org.abelian.router.transaction.independent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SettlementTest {
  private static final Fragment EXECUTED =
      new Fragment("t", 5, List.of(1, 2), "SELECT 1", "app", null);

  private final Map<Integer, Fragment> records = new HashMap<>(Map.of(1, EXECUTED));
  private final LaneNetwork network =
      (LaneNetwork)
          Proxy.newProxyInstance(
              LaneNetwork.class.getClassLoader(),
              new Class<?>[] {LaneNetwork.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "freeze" -> Optional.ofNullable(records.get((Integer) arguments[0]));
                    case "complete" -> complete((Integer) arguments[0]);
                    case "progress" -> new LaneProgress(1, EXECUTED.at(), EXECUTED.id());
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  /** Another router is faster at it, so that there is nothing to do. */
  private Optional<String> complete(int node) {
    records.putIfAbsent(node, EXECUTED.failed("23514 not enough"));
    return Optional.empty();
  }

  @Test
  void aFailureThatAnotherRouterHasMetMeanwhileIsTold() throws Exception {
    Settled settled = new Settlement(network).settle("t", List.of(1, 2));
    Settled.Executed executed = assertInstanceOf(Settled.Executed.class, settled);
    assertEquals(List.of(2), List.copyOf(executed.failures().keySet()));
    assertEquals("23514 not enough", executed.failures().get(2).error(0));
  }
}
