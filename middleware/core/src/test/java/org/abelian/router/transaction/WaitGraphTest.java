package org.abelian.router.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class WaitGraphTest {
  private static final UUID ROUTER = new UUID(1, 2);

  @Provide
  Arbitrary<List<WaitEdge>> graphs() {
    Arbitrary<Integer> session = Arbitraries.integers().between(1, 7);
    Arbitrary<Integer> node = Arbitraries.integers().between(1, 3);
    return Combinators.combine(node, session, session).as(WaitGraphTest::wait).list().ofMaxSize(14);
  }

  @Property
  void everyDeadlockIsACircleOverSeveralNodes(@ForAll("graphs") List<WaitEdge> edges) {
    for (Deadlock deadlock : WaitGraph.deadlocks(edges)) {
      List<WaitEdge> cycle = deadlock.cycle();
      for (int at = 0; at < cycle.size(); at++) {
        assertTrue(edges.contains(cycle.get(at)));
        assertEquals(cycle.get(at).blockerName(), cycle.get((at + 1) % cycle.size()).waiterName());
      }
      assertTrue(cycle.stream().mapToInt(WaitEdge::node).distinct().count() > 1);
      assertTrue(cycle.contains(deadlock.victim()));
    }
  }

  @Property
  void nothingIsFoundWhereNothingCircles(@ForAll("graphs") List<WaitEdge> edges) {
    List<WaitEdge> downwards =
        edges.stream().filter(edge -> edge.waiterName().compareTo(edge.blockerName()) > 0).toList();
    assertEquals(List.of(), WaitGraph.deadlocks(downwards));
  }

  /** Only a circle that PostgreSQL resolves by itself may hide another, until it is resolved. */
  @Property
  void noCircleIsLeftWhenTheVictimsAreGone(@ForAll("graphs") List<WaitEdge> edges) {
    List<WaitEdge> rest = new ArrayList<>(edges);
    for (Deadlock deadlock : WaitGraph.deadlocks(edges)) {
      String victim = deadlock.victim().waiterName();
      rest.removeIf(edge -> edge.waiterName().equals(victim) || edge.blockerName().equals(victim));
    }
    boolean localCircle =
        Set.of(1, 2, 3).stream()
            .anyMatch(
                node -> hasCycle(edges.stream().filter(edge -> edge.node() == node).toList()));
    assertTrue(localCircle || !hasCycle(rest), "a circle is left: " + rest);
  }

  @Property
  void theOrderOfTheEdgesDoesNotMatter(@ForAll("graphs") List<WaitEdge> edges, @ForAll long seed) {
    List<WaitEdge> shuffled = new ArrayList<>(edges);
    Collections.shuffle(shuffled, new Random(seed));
    assertEquals(WaitGraph.deadlocks(edges), WaitGraph.deadlocks(shuffled));
  }

  @Test
  void theYoungestTransactionIsTheVictimAndTheErrorNamesBothStatements() {
    List<Deadlock> found = WaitGraph.deadlocks(List.of(wait(1, 1, 2), wait(2, 2, 1)));
    assertEquals(1, found.size());
    assertEquals(label(2), found.get(0).victim().waiterName());
    AbelianException error = found.get(0).error();
    assertEquals(SqlState.DEADLOCK_DETECTED, error.state());
    assertTrue(error.detail().contains("UPDATE of 1 on 1"), error.detail());
    assertTrue(error.detail().contains("UPDATE of 2 on 2"), error.detail());
  }

  @Test
  void aPreparedTransactionLeadsBackToItsSession() {
    Gid gid = new Gid(1, new SessionLabel(ROUTER, 2), 9, List.of());
    WaitingParty prepared = new WaitingParty(0, null, 5, null, gid.toString());
    WaitEdge onPrepared = new WaitEdge(1, party(1, 1), prepared);
    assertEquals(1, WaitGraph.deadlocks(List.of(onPrepared, wait(2, 2, 1))).size());
  }

  @Test
  void connectionsOfNobodysRouterTakePartButAreNotChosen() {
    WaitingParty stranger = new WaitingParty(77, null, Long.MAX_VALUE, "UPDATE", null);
    List<WaitEdge> edges =
        List.of(
            new WaitEdge(1, party(1, 1), stranger),
            new WaitEdge(1, stranger, party(2, 1)),
            wait(2, 2, 1));
    List<Deadlock> found = WaitGraph.deadlocks(edges);
    assertEquals(1, found.size());
    assertEquals(label(2), found.get(0).victim().waiterName());
    assertFalse(
        WaitGraph.deadlocks(
                List.of(
                    new WaitEdge(1, party(1, 1), stranger), new WaitEdge(2, stranger, party(1, 2))))
            .iterator()
            .hasNext(),
        "process 77 of node 2 is somebody else than process 77 of node 1");
  }

  static WaitEdge wait(int node, int waiter, int blocker) {
    return new WaitEdge(node, party(waiter, node), party(blocker, node));
  }

  static WaitingParty party(int session, int node) {
    return new WaitingParty(
        100 * node + session,
        label(session),
        1_000L * session,
        "UPDATE of " + session + " on " + node,
        null);
  }

  private static String label(int session) {
    return new SessionLabel(ROUTER, session).toString();
  }

  /** Brute force: what is reachable from a waiter contains it. */
  private static boolean hasCycle(List<WaitEdge> edges) {
    for (WaitEdge start : edges) {
      Set<String> reached = new HashSet<>();
      List<String> frontier = new ArrayList<>(List.of(start.waiterName()));
      while (!frontier.isEmpty()) {
        String here = frontier.remove(0);
        for (WaitEdge edge : edges) {
          if (edge.waiterName().equals(here)
              && !edge.blockerName().equals(here)
              && reached.add(edge.blockerName())) {
            frontier.add(edge.blockerName());
          }
        }
      }
      if (reached.contains(start.waiterName())) {
        return true;
      }
    }
    return false;
  }
}
