package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.abelian.router.session.ReadKnowledge.Judgement;
import org.abelian.router.session.ReadKnowledge.Verdict;
import org.junit.jupiter.api.Test;

/** What nodes 1 and 2 tell, and what follows. */
class ReadKnowledgeTest {
  private final ReadKnowledge start =
      ReadKnowledge.behindGates(List.of(1, 2), told("r 5 5 0", "s 9 9 0"));

  private static List<ReadEvidence> told(String... answers) {
    return Arrays.stream(answers).map(ReadEvidence::parse).toList();
  }

  private Verdict verdict(String one, String two) {
    return verdict(one, two, false);
  }

  private Verdict verdict(String one, String two, boolean inTurn) {
    List<ReadEvidence> told = Arrays.asList(ReadEvidence.parse(one), ReadEvidence.parse(two));
    return start.judge(told, inTurn).verdict();
  }

  @Test
  void whoSeesNobodyOrEverybodyOnBothSidesIsWhole() {
    assertEquals(Verdict.WHOLE, verdict("r 5 5 0", "s 9 9 0"));
    assertEquals(Verdict.WHOLE, verdict("r 6 6 0 vt/1,2", "s 10 10 0 vt/1,2"));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 0 it/1,2", "s 10 9 0 it/1,2"));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 0 it/1,2", "s 9 9 0"));
  }

  @Test
  void aTransactionOnOneSideIsTorn() {
    assertEquals(Verdict.TORN, verdict("r 6 6 0 vt/1,2", "s 10 9 0 it/1,2"));
    assertEquals(Verdict.TORN, verdict("r 6 5 0 it/1,2", "s 10 10 0 vt/1,2"));
    assertEquals(Verdict.TORN, verdict("r 6 6 0 vt/1,2", "s 9 9 0"));
  }

  @Test
  void whatWasReadyMayCompleteASnapshot() {
    Judgement judgement =
        start.judge(
            told(
                "r 8 6 0 vabelian:1:a-1/1,2 iabelian:1:b-1/1,2 e3:abelian:1:c-1/1,2",
                "s 11 9 0 e1:abelian:1:a-1/1,2 wabelian:1:c-1/1,2"),
            false);
    assertEquals(Verdict.COMPLETABLE, judgement.verdict());
    assertEquals(List.of(List.of(3), List.of(1)), judgement.missing());
    assertEquals(
        Verdict.TORN,
        judgement
            .next()
            .judge(told("r 8 6 0 ix:b-1/1,2", "s 11 9 0 iabelian:1:a-1/1,2"), false)
            .verdict(),
        "by what a snapshot was completed, its node has not shown yet");
  }

  @Test
  void itMayCommuteAndIsNamedInTheNodesOrder() {
    Judgement judgement =
        start.judge(
            told("r 9 9 0 vq/1,2 vt/1,2 va/1,2", "s 12 9 0 e1:a/1,2 e2:q/1,2 e3:t/1,2"), false);
    assertEquals(Verdict.COMPLETABLE, judgement.verdict());
    assertEquals(List.of(List.of(), List.of(1, 2, 3)), judgement.missing());
  }

  @Test
  void whatWasNotReadyCompletesNothing() {
    String seen = "r 6 6 0 vabelian:1:a-1/1,2";
    assertEquals(Verdict.TORN, verdict(seen, "s 10 9 0 iabelian:1:a-1/1,2"));
    assertEquals(Verdict.TORN, verdict("r 6 6 0 vt/1,2", "s 10 9 0 it/1,2"));
    assertEquals(
        Verdict.REACHES_OUT,
        verdict(seen, "s 11 9 0 e1:abelian:1:a-1/1,2 iabelian:1:b-1/1,2,3"),
        "somebody has a node that is not read");
    assertEquals(Verdict.UNORDERED, verdict(seen, "s 10 9 -1 e1:abelian:1:a-1/1,2"));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 0 e1:abelian:1:a-1/1,2", "s 9 9 0"));
  }

  @Test
  void whatReachesOtherNodesMustHaveEndedBeforeTheRead() {
    assertEquals(Verdict.REACHES_OUT, verdict("r 6 5 0 it/1,3", "s 9 9 0"));
    Judgement seen = start.judge(told("r 6 6 0 vt/1,3,4", "s 9 9 0"), false);
    assertEquals(Verdict.REACHES_OUT, seen.verdict());
    assertEquals(Set.of(3, 4), seen.outside());
    assertEquals(Verdict.WHOLE, seen.next().judge(told("r 6 6 0", "s 9 9 0"), false).verdict());
  }

  @Test
  void whatWasSeenOnOneSideIsRememberedUntilTheOtherShowsIt() {
    Judgement torn = start.judge(told("r 6 6 0 vt/1,2", "s 9 9 0"), false);
    assertEquals(6, torn.next().over(0));
    assertEquals(
        Verdict.TORN, torn.next().judge(told("r 6 6 0", "s 10 9 0 it/1,2"), false).verdict());
    Judgement whole = torn.next().judge(told("r 6 6 0", "s 10 10 0 vt/1,2"), false);
    assertEquals(Verdict.WHOLE, whole.verdict());
    assertEquals(Verdict.WHOLE, whole.next().judge(told("r 6 6 0", "s 10 10 0"), false).verdict());
  }

  @Test
  void whatWillBeToldAgainIsNotForgotten() {
    Judgement first = start.judge(told("r 7 5 0 iu/1,2 wt/1,2", "s 10 10 0 vt/1,2"), false);
    assertEquals(Verdict.WHOLE, first.verdict());
    assertEquals(
        Verdict.WHOLE,
        first.next().judge(told("r 7 7 0 vu/1,2 vt/1,2", "s 11 11 0 vu/1,2"), false).verdict());
  }

  @Test
  void anotherRunOrAnUnknownTransactionSaysNothing() {
    assertEquals(Verdict.UNKNOWN, verdict("q 5 5 0", "s 9 9 0"));
    assertEquals(Verdict.UNKNOWN, verdict("", "s 9 9 0"));
    assertEquals(Verdict.UNKNOWN, verdict("r 6 6 0 v", "s 9 9 0"));
    assertEquals(Verdict.UNKNOWN, verdict("r 6 6 0 ?t/1,2", "s 9 9 0"));
    assertNull(ReadKnowledge.behindGates(List.of(1, 2), told("r 6 5 0", "s 9 9 0")));
  }

  @Test
  void whatIsStillNeedNotBeJudged() {
    assertTrue(isStill("r 5 5 0", "s 9 9 0"));
    assertTrue(isStill("r 5 5 77", "s 9 9 77"));
    assertFalse(isStill("r 5 5 77", "s 9 9 7"));
    assertFalse(isStill("r 5 5 7", "s 9 9 77"));
    assertFalse(isStill("r 5 5 -1", "s 9 9 -1"));
    assertFalse(isStill("r 6 5 0", "s 9 9 0"));
    assertFalse(isStill("r 6 6 0", "s 9 9 0"));
    assertFalse(isStill("q 5 5 0", "s 9 9 0"));
    assertFalse(isStill("r 5 5 0 it/1,2", "s 9 9 0 it/1,2"));
    assertFalse(isStill("", "s 9 9 0"));
    assertFalse(isStill("r 5 5 0", null));
    Judgement torn = start.judge(told("r 6 6 0 vt/1,2", "s 9 9 0"), false);
    assertFalse(torn.next().isStill(List.of("r 6 6 0", "s 9 9 0")), "one is seen in part");
  }

  private boolean isStill(String one, String two) {
    boolean still = start.isStill(Arrays.asList(one, two));
    assertTrue(!still || verdict(one, two) == Verdict.WHOLE);
    return still;
  }

  @Test
  void lanesMustBeAtRestAndAgree() {
    assertEquals(Verdict.WHOLE, verdict("r 5 5 77", "s 9 9 77"));
    assertEquals(Verdict.UNEVEN, verdict("r 5 5 77", "s 9 9 78"));
    assertEquals(78, start.judge(told("r 5 5 77", "s 9 9 78"), false).lane());
    assertEquals(Verdict.UNORDERED, verdict("r 5 5 -1", "s 9 9 -1"));
    assertEquals(Verdict.TORN, verdict("r 6 5 77 pt/1,2", "s 9 9 77"));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 0 pt/1,2", "s 9 9 0"));
  }

  @Test
  void othersHaveNoTimestampThatAnotherCouldPrecede() {
    String unseen = " iabelian:1:x:1-1/1,2";
    assertEquals(Verdict.WHOLE, verdict("r 6 5 77" + unseen, "s 9 9 77"));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 77" + unseen, "s 10 9 77" + unseen));
    assertEquals(Verdict.WHOLE, verdict("r 7 5 77 it/1,2" + unseen, "s 9 9 77"));
    assertEquals(Verdict.TORN, verdict("r 7 5 77 pt/1,2" + unseen, "s 9 9 77"));
    assertEquals(Verdict.REACHES_OUT, verdict("r 6 5 77 iabelian:1:x:1-1/1,3", "s 9 9 77"));
  }

  @Test
  void inItsTurnAReadHasAPlaceAmongIndependentTransactions() {
    assertEquals(Verdict.WHOLE, verdict("r 6 5 77 pt/1,2", "s 9 9 77", true));
    assertEquals(Verdict.WHOLE, verdict("r 6 5 77 pt/1,2,3", "s 9 9 77", true));
    assertEquals(Verdict.UNORDERED, verdict("r 5 5 77", "s 9 9 -1", true), "one turn has not come");
    assertEquals(Verdict.UNORDERED, verdict("r 6 6 77 vt/1,2", "s 9 9 -1", true));
    assertEquals(Verdict.TORN, verdict("r 6 6 77 vt/1,2", "s 10 9 77 it/1,2", true));
    assertEquals(Verdict.COMPLETABLE, verdict("r 6 6 77 vt/1,2", "s 10 9 77 e1:t/1,2", true));
  }

  @Test
  void whatIsKnownOfMoreNodesIsKnownOfSomeOfThem() {
    ReadKnowledge more =
        ReadKnowledge.behindGates(List.of(1, 2, 3), told("r 5 5 0", "s 9 9 0", "t 2 2 0"));
    more =
        more.judge(told("r 7 7 0 va/1,2 vb/1,3", "s 10 9 0 ia/1,2", "t 3 3 0 vb/1,3"), false)
            .next();
    ReadKnowledge some = more.of(List.of(1, 2));
    assertEquals(List.of("r", "s"), List.of(some.run(0), some.run(1)));
    assertEquals(List.of(7L, 9L), List.of(some.over(0), some.over(1)));
    assertEquals(Verdict.TORN, some.judge(told("r 7 7 0", "s 10 9 0 ia/1,2"), false).verdict());
    assertEquals(Verdict.WHOLE, some.judge(told("r 7 7 0", "s 10 10 0 va/1,2"), false).verdict());
    ReadKnowledge others = more.of(List.of(3, 2));
    assertEquals(List.of(3L, 9L), List.of(others.over(0), others.over(1)));
    assertEquals(Verdict.WHOLE, others.judge(told("t 3 3 0", "s 9 9 0"), false).verdict());
    assertTrue(more.beginsAs(some));
    assertFalse(some.beginsAs(more));
  }
}
