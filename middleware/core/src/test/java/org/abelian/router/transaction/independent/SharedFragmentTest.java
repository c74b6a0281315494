package org.abelian.router.transaction.independent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.abelian.router.transaction.NodeUnreachableException;
import org.junit.jupiter.api.Test;

/** A fragment of several calls, and what a node records that cannot run some of them. */
class SharedFragmentTest {
  private static final String FIRST = "\n--abelian procedure a(int)\nCALL a(1)";
  private static final String SECOND = "\n--abelian procedure b()\nSELECT b()";
  private static final String THIRD = "\n--abelian procedure a(int)\nCALL a(2)";

  private static Fragment fragment(String intent) {
    return new Fragment("t", 1, List.of(1, 2), intent, "app", null);
  }

  private static final Fragment SHARED = fragment("SET LOCAL x = 1; " + FIRST + SECOND + THIRD);

  @Test
  void anIntentSaysWhereEachOfItsCallsBegins() {
    assertTrue(SHARED.isShared());
    assertEquals("SET LOCAL x = 1; ", SHARED.setUp());
    assertEquals(
        List.of(
            new Fragment.Call(0, "a(int)", FIRST),
            new Fragment.Call(1, "b()", SECOND),
            new Fragment.Call(2, "a(int)", THIRD)),
        SHARED.calls());
  }

  @Test
  void intentsOfEarlierVersionsAreOneCall() {
    Fragment marked = fragment("SET LOCAL x = 1; " + FIRST);
    assertFalse(marked.isShared());
    assertEquals(List.of(new Fragment.Call(0, "a(int)", FIRST)), marked.calls());
    Fragment plain = fragment("SET LOCAL x = 1; CALL a(1)");
    assertEquals("", plain.setUp());
    assertEquals(List.of(new Fragment.Call(0, "", "SET LOCAL x = 1; CALL a(1)")), plain.calls());
  }

  @Test
  void theFailureOfOneCallIsItsErrorWhateverTheErrorSays() {
    Fragment one = fragment(FIRST);
    String text = CallFailures.with(one, one.calls().get(0), "23514 no" + SECOND);
    CallFailures failures = CallFailures.of(text);
    assertEquals("23514 no --abelian procedure b() SELECT b()", failures.error(0));
    assertNull(failures.error(1));
    assertEquals(text, failures.errors("a(int)"));
  }

  @Test
  void failuresOfSeveralCallsNameThoseThatFailed() {
    String text = CallFailures.with(SHARED, SHARED.calls().get(2), "23514 no: not" + SECOND);
    assertEquals(
        "\n--abelian procedure a(int)\n"
            + "call 2: 23514 no: not --abelian procedure b() SELECT b()",
        text);
    Fragment failed = SHARED.failed(text);
    CallFailures both = CallFailures.of(CallFailures.with(failed, SHARED.calls().get(1), "22012"));
    assertNull(both.error(0));
    assertEquals("22012", both.error(1));
    assertEquals("23514 no: not --abelian procedure b() SELECT b()", both.error(2));
    assertEquals("22012", both.errors("b()"));
    assertEquals("", both.errors("c()"));
  }

  @Test
  void whatWasStoppedIsStillKnownToHaveFailed() {
    CallFailures failures =
        CallFailures.of(
            "\n--abelian stopped a(int)\ncall 0: 23514 no\n--abelian procedure b()\ncall 1: 22012");
    assertEquals("23514 no", failures.error(0));
    assertEquals("", failures.errors("a(int)"));
    assertEquals("22012", failures.errors("b()"));
  }

  @Test
  void aNodeRunsAllCallsButThoseThatFail() throws NodeUnreachableException {
    List<List<Integer>> runs = new ArrayList<>();
    String failure = WithoutFailed.run(SHARED, attempt -> run(attempt, Set.of(0, 2), runs));
    assertEquals(List.of(List.of(0), List.of(1, 2), List.of(1)), runs);
    assertEquals("no", CallFailures.of(failure).error(0));
    assertNull(CallFailures.of(failure).error(1));
    assertEquals("no", CallFailures.of(failure).error(2));
    runs.clear();
    assertNull(WithoutFailed.run(SHARED, attempt -> run(attempt, Set.of(), runs)));
    assertEquals(List.of(List.of(0, 1, 2)), runs);
    runs.clear();
    WithoutFailed.run(SHARED, attempt -> run(attempt, Set.of(0, 1, 2), runs));
    assertEquals(List.of(List.of(0), List.of(1), List.of(2), List.of()), runs);
  }

  /** What a node does with an attempt: up to the first call that fails there. */
  private static Optional<String> run(
      Fragment attempt, Set<Integer> failing, List<List<Integer>> runs) {
    CallFailures known = CallFailures.of(attempt.failure());
    List<Integer> run = new ArrayList<>();
    runs.add(run);
    for (Fragment.Call call : attempt.calls()) {
      if (known.error(call.number()) != null) {
        continue;
      }
      run.add(call.number());
      if (failing.contains(call.number())) {
        return Optional.of(CallFailures.with(attempt, call, "no"));
      }
    }
    return Optional.empty();
  }
}
