package org.abelian.histories.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.histories.lists.Ending;
import org.abelian.histories.lists.Intention;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.Observation;
import org.abelian.histories.lists.Recorded;
import org.junit.jupiter.api.Test;

/** A small history that is legal, and each way to spoil it. */
class ListCheckerTest {
  private static final int A = 1;
  private static final int B = 2;

  private final List<Recorded> transactions = new ArrayList<>();
  private final Map<Integer, List<Long>> end = new HashMap<>(Map.of(A, List.of(), B, List.of()));
  private final Map<Integer, Observation.Counted> counters =
      new HashMap<>(Map.of(A, counted(0), B, counted(0)));
  private long clock;

  private static Observation.Counted counted(long count, Long... marks) {
    return new Observation.Counted(count, List.of(marks));
  }

  private void transaction(int name, Kind kind, Ending ending, Integer... keys) {
    add(name, kind, ending, List.of(keys), Map.of(), List.of());
  }

  private void add(
      int name,
      Kind kind,
      Ending ending,
      List<Integer> keys,
      Map<Integer, List<Long>> shown,
      List<Observation> observations) {
    Intention intention = new Intention(name, kind, keys, false, false, List.of());
    transactions.add(
        new Recorded(intention, shown, observations, ending, clock++, clock++, "", ""));
  }

  /** A read that overlaps with everything in time. */
  private void read(int name, Kind kind, Map<Integer, List<Long>> lists) {
    read(name, kind, lists, Map.of());
  }

  private void read(
      int name,
      Kind kind,
      Map<Integer, List<Long>> lists,
      Map<Integer, Observation.Counted> counts) {
    Observation observation =
        new Observation(lists, counts, !kind.isOfOneNode(), 0, Long.MAX_VALUE);
    add(name, kind, Ending.COMMITTED, List.copyOf(lists.keySet()), Map.of(), List.of(observation));
  }

  private static List<Long> numbers(int... names) {
    List<Long> numbers = new ArrayList<>();
    for (int name : names) {
      numbers.add(2L * name);
    }
    return numbers;
  }

  private List<String> complaints() {
    Observation last = new Observation(end, counters, true, Long.MAX_VALUE, Long.MAX_VALUE);
    return ListChecker.complaints(new ListHistory(transactions, last));
  }

  private void mustComplain(String about) {
    List<String> complaints = complaints();
    assertTrue(
        complaints.stream().anyMatch(complaint -> complaint.startsWith(about)),
        () -> "no \"" + about + "\" among " + complaints);
  }

  /** Two transactions over both keys, in one order; one of A and one of B; a commuting one. */
  private void legal() {
    transaction(1, Kind.INDEPENDENT, Ending.COMMITTED, A, B);
    transaction(2, Kind.COORDINATED, Ending.COMMITTED, A, B);
    transaction(3, Kind.SINGLE_APPEND, Ending.COMMITTED, A);
    transaction(4, Kind.SINGLE_APPEND, Ending.COMMITTED, B);
    transaction(5, Kind.COMMUTING, Ending.COMMITTED, A, B);
    transaction(6, Kind.INDEPENDENT, Ending.ROLLED_BACK, A, B);
    end.put(A, numbers(1, 3, 2));
    end.put(B, numbers(1, 2, 4));
    counters.put(A, counted(1, 10L));
    counters.put(B, counted(1, 10L));
  }

  @Test
  void acceptsALegalHistory() {
    legal();
    read(10, Kind.SPREAD_READ, Map.of(A, numbers(1, 3), B, numbers(1)));
    read(11, Kind.SPREAD_READ, end, counters);
    read(12, Kind.SINGLE_READ, Map.of(A, numbers()));
    assertEquals(List.of(), complaints());
  }

  @Test
  void noticesALostAppend() {
    legal();
    end.put(A, numbers(1, 2));
    mustComplain("lost: SINGLE_APPEND 3");
  }

  @Test
  void noticesAnAppendOnOneOfTwoNodes() {
    legal();
    end.put(B, numbers(1, 4));
    mustComplain("torn: 1 of its keys have the effects of COORDINATED 2");
  }

  @Test
  void noticesHalfOfATransactionWhoseOutcomeWasUnknown() {
    legal();
    transaction(7, Kind.INDEPENDENT, Ending.UNKNOWN, A, B);
    assertEquals(List.of(), complaints());
    end.put(A, numbers(1, 3, 2, 7));
    mustComplain("torn: 1 of its keys have the effects of INDEPENDENT 7");
  }

  @Test
  void noticesAnAppendDoneTwice() {
    legal();
    end.put(A, numbers(1, 3, 2, 3));
    mustComplain("twice: 6 at key 1");
  }

  @Test
  void noticesTheEffectOfATransactionThatWasRolledBack() {
    legal();
    end.put(A, numbers(1, 3, 2, 6));
    end.put(B, numbers(1, 2, 6, 4));
    mustComplain("rolled back, but there: INDEPENDENT 6");
  }

  @Test
  void noticesAReadOfWhatWasRolledBack() {
    legal();
    read(10, Kind.SINGLE_READ, Map.of(A, numbers(1, 6)));
    mustComplain("at key 1 SINGLE_READ 10");
  }

  @Test
  void noticesAReadBetweenTheTwoAppendsOfOneTransaction() {
    legal();
    Intention twice = new Intention(8, Kind.SINGLE_BLOCK, List.of(A), true, false, List.of());
    transactions.add(
        new Recorded(twice, Map.of(), List.of(), Ending.COMMITTED, clock++, clock++, "", ""));
    end.put(A, List.of(2L, 6L, 4L, 16L, 17L));
    assertEquals(List.of(), complaints());
    read(10, Kind.SINGLE_READ, Map.of(A, List.of(2L, 6L, 4L, 16L)));
    mustComplain("in between: at key 1 SINGLE_READ 10");
  }

  @Test
  void noticesTwoOrdersOnTwoNodes() {
    legal();
    end.put(B, numbers(2, 1, 4));
    mustComplain("no serial order");
  }

  @Test
  void noticesACycleThroughTransactionsOfOneNode() {
    transaction(1, Kind.COORDINATED, Ending.COMMITTED, A, B);
    transaction(2, Kind.INDEPENDENT, Ending.COMMITTED, A, B);
    transaction(3, Kind.SINGLE_APPEND, Ending.COMMITTED, A);
    end.put(A, numbers(1, 3, 2));
    end.put(B, numbers(2, 1));
    mustComplain("no serial order");
  }

  @Test
  void noticesATornReadOfSeveralNodes() {
    legal();
    read(10, Kind.SPREAD_READ, Map.of(A, numbers(1, 3, 2), B, numbers(1)));
    mustComplain("no serial order");
  }

  @Test
  void noticesAReadThatSeesHalfOfACommutingTransaction() {
    legal();
    read(10, Kind.SPREAD_READ, end, Map.of(A, counted(1, 10L), B, counted(0)));
    mustComplain("torn: SPREAD_READ 10");
  }

  @Test
  void noticesReadsThatDisagreeAboutACommutingAndAnIndependentTransaction() {
    transaction(1, Kind.INDEPENDENT, Ending.COMMITTED, A, B);
    transaction(5, Kind.COMMUTING, Ending.COMMITTED, A, B);
    end.put(A, numbers(1));
    end.put(B, numbers(1));
    counters.put(A, counted(1, 10L));
    counters.put(B, counted(1, 10L));
    read(10, Kind.SPREAD_READ, end, Map.of(A, counted(0), B, counted(0)));
    assertEquals(List.of(), complaints());
    read(11, Kind.SPREAD_READ, Map.of(A, numbers(), B, numbers()), counters);
    mustComplain("no serial order");
  }

  @Test
  void noticesACounterThatDiffersFromItsMarks() {
    legal();
    counters.put(A, counted(2, 10L));
    mustComplain("the counter at key 1 and its marks differ");
  }

  @Test
  void noticesAMarkMadeTwice() {
    legal();
    counters.put(A, counted(2, 10L, 10L));
    mustComplain("marked twice at key 1");
  }

  @Test
  void noticesAReadThatMissesWhatWasAcknowledged() {
    legal();
    Observation late = new Observation(Map.of(A, numbers(1)), Map.of(), false, 100, 101);
    add(10, Kind.SINGLE_READ, Ending.COMMITTED, List.of(A), Map.of(), List.of(late));
    mustComplain("stale: SINGLE_READ 10");
  }

  @Test
  void noticesAnAppendThatDoesNotSeeItsOwnNumber() {
    legal();
    add(9, Kind.SINGLE_APPEND, Ending.COMMITTED, List.of(A), Map.of(A, numbers(1)), List.of());
    end.put(A, numbers(1, 3, 2, 9));
    mustComplain("at key 1 its own number is not the last");
  }

  @Test
  void acceptsATransactionWhoseOutcomeWasUnknownAndThatWasRolledBack() {
    legal();
    Map<Integer, List<Long>> shown = Map.of(A, numbers(1, 7), B, numbers(1, 7));
    add(7, Kind.COORDINATED, Ending.UNKNOWN, List.of(A, B), shown, List.of());
    assertEquals(List.of(), complaints());
  }

  /** What the page does not promise must not be complained about. */
  @Test
  void acceptsTwoReadsThatSeeTransactionsOfSingleNodesInDifferentOrders() {
    transaction(3, Kind.SINGLE_APPEND, Ending.COMMITTED, A);
    transaction(4, Kind.SINGLE_APPEND, Ending.COMMITTED, B);
    end.put(A, numbers(3));
    end.put(B, numbers(4));
    read(10, Kind.SPREAD_READ, Map.of(A, numbers(3), B, numbers()));
    read(11, Kind.SPREAD_READ, Map.of(A, numbers(), B, numbers(4)));
    assertEquals(List.of(), complaints());
  }

  @Test
  void noticesAReadThatMissesATransactionOfOneNodeBeforeOneOfSeveralThatItSees() {
    transaction(3, Kind.SINGLE_APPEND, Ending.COMMITTED, A);
    transaction(2, Kind.COORDINATED, Ending.COMMITTED, A, B);
    end.put(A, numbers(3, 2));
    end.put(B, numbers(2));
    read(10, Kind.SPREAD_READ, Map.of(A, numbers(), B, numbers(2)));
    mustComplain("no serial order");
  }

  @Test
  void acceptsAReadOfOneNodeThatMissesACoordinatedTransactionBeforeAnotherThatItSees() {
    transaction(1, Kind.COORDINATED, Ending.COMMITTED, A, B);
    transaction(2, Kind.COORDINATED, Ending.COMMITTED, A, 3);
    end.put(A, numbers(1, 2));
    end.put(B, numbers(1));
    end.put(3, numbers(2));
    read(10, Kind.SINGLE_READ, Map.of(B, numbers(), 3, numbers(2)));
    assertEquals(List.of(), complaints());
  }
}
