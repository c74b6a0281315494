package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.abelian.router.error.AbelianException;
import org.junit.jupiter.api.Test;

class DeadlockDetectorTest {
  private static final List<WaitEdge> CIRCLE =
      List.of(WaitGraphTest.wait(1, 1, 2), WaitGraphTest.wait(2, 2, 1));
  private static final UUID OWNER = new UUID(1, 2);
  private static final UUID OTHER = new UUID(3, 4);

  private final Set<Long> inOrder = new HashSet<>();
  private final List<String> events = new ArrayList<>();

  @Test
  void aCircleSeenTwiceEndsWithItsVictim() {
    assertEquals(1, detector(OWNER, true, CIRCLE, CIRCLE).runOnce());
    assertEquals(List.of("mark 2", "cancel 202 on 2"), events);
  }

  @Test
  void aCircleOfWaitsThatNeverWereAtOnceIsLeftAlone() {
    List<WaitEdge> later = List.of(WaitGraphTest.wait(1, 1, 2));
    assertEquals(0, detector(OWNER, true, CIRCLE, later).runOnce());
    WaitingParty nextTransaction =
        new WaitingParty(202, CIRCLE.get(1).waiter().session(), 2_001, "UPDATE", null);
    List<WaitEdge> moved =
        List.of(CIRCLE.get(0), new WaitEdge(2, nextTransaction, CIRCLE.get(1).blocker()));
    assertEquals(0, detector(OWNER, true, CIRCLE, moved).runOnce());
    assertEquals(List.of(), events);
  }

  @Test
  void whoKeepsTheOrderIsSparedWhileAnotherOfTheRouterCanEnd() {
    inOrder.add(2L);
    assertEquals(1, detector(OWNER, true, CIRCLE, CIRCLE).runOnce());
    assertEquals(List.of("mark 1", "cancel 101 on 1"), events);
  }

  @Test
  void oneOfThoseWhoKeepTheOrderEndsWhenThereIsNoOther() {
    inOrder.addAll(List.of(1L, 2L));
    assertEquals(1, detector(OWNER, true, CIRCLE, CIRCLE).runOnce());
    assertEquals(List.of("mark 2", "cancel 202 on 2"), events);
  }

  @Test
  void aCircleThatEndsWithTheVictimOfAnotherCostsNobodyElse() {
    inOrder.addAll(List.of(2L, 3L));
    List<WaitEdge> both = new ArrayList<>(CIRCLE);
    both.add(WaitGraphTest.wait(3, 1, 3));
    both.add(WaitGraphTest.wait(2, 3, 1));
    assertEquals(1, detector(OWNER, true, both, both).runOnce());
    assertEquals(2, events.size(), events.toString());
    assertEquals("mark 1", events.get(0));
  }

  @Test
  void aVictimThatGotOnIsSpared() {
    assertEquals(0, detector(OWNER, false, CIRCLE, CIRCLE).runOnce());
    assertEquals(List.of("mark 2", "cancel 202 on 2", "spare 2"), events);
  }

  @Test
  void anotherRoutersVictimIsLeftToItAndCancelledWhenItDoesNot() {
    DeadlockDetector detector = detector(OTHER, true, CIRCLE, CIRCLE);
    int rounds = 1;
    while (detector.runOnce() == 0 && rounds < 100) {
      assertEquals(List.of(), events);
      rounds++;
    }
    assertEquals(6, rounds);
    assertEquals(List.of("cancel 202 on 2"), events);
  }

  private DeadlockDetector detector(
      UUID router, boolean stillWaits, List<WaitEdge> first, List<WaitEdge> second) {
    Looks waits = new Looks(stillWaits, first, second);
    return new DeadlockDetector(waits, new Sessions(), router, time -> waits.secondLook = true);
  }

  private final class Looks implements WaitSource {
    private final boolean stillWaits;
    private final List<WaitEdge> first;
    private final List<WaitEdge> second;
    private boolean secondLook;
    private boolean ended;

    Looks(boolean stillWaits, List<WaitEdge> first, List<WaitEdge> second) {
      this.stillWaits = stillWaits;
      this.first = first;
      this.second = second;
    }

    @Override
    public List<Integer> nodes() {
      return List.of(1, 2);
    }

    @Override
    public List<WaitEdge> edges(int node) {
      List<WaitEdge> look = secondLook ? second : first;
      if (secondLook && node == 2) {
        secondLook = false; // The next round begins anew.
      }
      return look.stream().filter(edge -> !ended && edge.node() == node).toList();
    }

    @Override
    public boolean cancel(int node, WaitingParty waiter) {
      events.add("cancel " + waiter.pid() + " on " + node);
      ended |= stillWaits;
      return stillWaits;
    }
  }

  private final class Sessions implements VictimHandler {
    @Override
    public void mark(long session, AbelianException error) {
      events.add("mark " + session);
    }

    @Override
    public boolean keepsOrder(long session) {
      return inOrder.contains(session);
    }

    @Override
    public void spare(long session, AbelianException error) {
      events.add("spare " + session);
    }
  }
}
