package org.abelian.workloads.queries;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnswerTest {
  private static final List<Integer> BY_SECOND = List.of(2);

  private static Answer answer(String... rows) {
    return new Answer(List.of(rows).stream().map(row -> row.split(",")).toList(), 1);
  }

  @Test
  void rowsThatTheOrderLeavesEqualMayChangePlaces() {
    Answer plain = answer("a,1", "b,1", "c,2");
    assertEquals(Optional.empty(), plain.difference(answer("b,1", "a,1", "c,2"), BY_SECOND));
    assertEquals(
        Optional.of("out of order from row 2"),
        plain.difference(answer("a,1", "c,2", "b,1"), BY_SECOND));
    assertEquals(Optional.empty(), plain.difference(answer("c,2", "b,1", "a,1"), List.of()));
  }

  @Test
  void whatIsMissingTwiceOrWrittenOtherwiseIsADifference() {
    Answer plain = answer("a,1", "a,1");
    assertEquals(Optional.of("1 rows, not 2; -[a, 1]"), plain.difference(answer("a,1"), BY_SECOND));
    assertEquals(
        Optional.of("2 rows, not 2; +[a, 1.0] -[a, 1]"),
        plain.difference(answer("a,1", "a,1.0"), BY_SECOND));
  }

  @Test
  void nullsAreValues() {
    Answer plain = new Answer(List.<String[]>of(new String[] {null}), 1);
    assertEquals(Optional.empty(), plain.difference(plain, List.of(1)));
    assertEquals(
        Optional.of("1 rows, not 1; +[0] -[null]"), plain.difference(answer("0"), List.of(1)));
  }
}
