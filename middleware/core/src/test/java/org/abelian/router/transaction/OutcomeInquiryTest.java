package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OutcomeInquiryTest {
  private static final Gid GID = new Gid(2, new SessionLabel(new UUID(1, 2), 3), 4, List.of());
  private static final String OF_NODE_3 = "7321-4f1c:1234";
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private final FakeTime time = new FakeTime();

  private OptionalInt ask(SlowNetwork network, String token) {
    return new OutcomeInquiry(network, gid -> false, time).whoKnows(token);
  }

  @Test
  void theHolderThatAGidNamesIsAskedAndNobodyElse() {
    SlowNetwork network = new SlowNetwork(time, node -> node != 2);
    network.outcomes.put(2, Map.of(GID.toString(), TransactionStatus.COMMITTED));
    assertEquals(OptionalInt.of(2), ask(network, GID.toString()));
    assertEquals(Duration.ZERO, time.passed());
  }

  @Test
  void anotherTokenIsTakenToEveryNodeUntilOneKnowsIt() {
    SlowNetwork network = new SlowNetwork(time, node -> node == 1);
    network.outcomes.put(3, Map.of(OF_NODE_3, TransactionStatus.ABORTED));
    assertEquals(OptionalInt.of(3), ask(network, OF_NODE_3));
  }

  @Test
  void aHolderThatIsDownIsWaitedFor() {
    SlowNetwork network =
        new SlowNetwork(
            time, node -> node == 2 && time.passed().compareTo(Duration.ofSeconds(5)) < 0);
    network.outcomes.put(2, Map.of(GID.toString(), TransactionStatus.COMMITTED));
    assertEquals(OptionalInt.of(2), ask(network, GID.toString()));
  }

  @Test
  void aHolderThatStaysDownIsWaitedForBoundedly() {
    assertEquals(
        OptionalInt.empty(), ask(new SlowNetwork(time, node -> node == 2), GID.toString()));
    assertTrue(
        time.passed().compareTo(OutcomeInquiry.LIMIT) > 0, "gave up early: " + time.passed());
    assertTrue(time.passed().compareTo(LONGEST) < 0, "gave up late: " + time.passed());
  }

  @Test
  void whatIsStillPreparedIsWaitedForSinceRecoveryWillDecideIt() {
    SlowNetwork network = new SlowNetwork(time, node -> false);
    network.prepared.add(GID);
    assertEquals(OptionalInt.empty(), ask(network, GID.toString()));
    assertTrue(
        time.passed().compareTo(OutcomeInquiry.LIMIT) >= 0, "gave up early: " + time.passed());
  }

  @Test
  void whatEveryNodeHasForgottenIsUnknownAtOnce() {
    SlowNetwork network = new SlowNetwork(time, node -> false);
    assertEquals(OptionalInt.empty(), ask(network, GID.toString()));
    assertEquals(OptionalInt.empty(), ask(network, OF_NODE_3));
    assertEquals(Duration.ZERO, time.passed());
  }

  @Test
  void whatIsNoTokenIsLeftToTheNodesError() {
    SlowNetwork network = new SlowNetwork(time, node -> true);
    assertEquals(OptionalInt.empty(), ask(network, "127.0.0.1:5432"));
    assertEquals(Duration.ZERO, time.passed());
  }
}
