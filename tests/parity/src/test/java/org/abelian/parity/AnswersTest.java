package org.abelian.parity;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class AnswersTest {
  @Test
  void rowsHaveAnOrderOnlyWhereItIsAskedFor() {
    assertTrue(Answers.same("SELECT a FROM t", List.of("1", "2"), List.of("2", "1")));
    assertFalse(Answers.same("SELECT a FROM t ORDER BY a", List.of("1", "2"), List.of("2", "1")));
  }

  @Test
  void otherLinesDiffer() {
    assertFalse(Answers.same("SELECT a FROM t", List.of("1", "2"), List.of("1", "1")));
    assertFalse(Answers.same("SELECT a FROM t", List.of("1"), List.of("1", "1")));
    assertFalse(Answers.same("SELECT a FROM t", List.of(), null));
  }
}
