package org.abelian.advisor.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.abelian.advisor.placement.Candidate;
import org.junit.jupiter.api.Test;

class ChoiceTest {
  private static Judgement judged(Candidate.Kind kind, double distributed, double load) {
    return judged(kind, distributed, load, load);
  }

  private static Judgement judged(
      Candidate.Kind kind, double distributed, double load, double busiest) {
    return new Judgement(
        kind.name(),
        kind.name(),
        kind,
        true,
        Map.of(TransactionKind.SINGLE, 1 - distributed),
        0,
        1,
        load,
        busiest,
        1,
        List.of(),
        List.of(),
        new long[1][1]);
  }

  private static String chosen(long transactions, Judgement... among) {
    return Choice.of(List.of(among), 0.01, 1.25, transactions, all -> true).orElseThrow();
  }

  @Test
  void takesTheSimplestWithinTheTolerance() {
    Judgement keys = judged(Candidate.Kind.KEYS, 0.109, 1);
    Judgement lookup = judged(Candidate.Kind.LOOKUP, 0.1, 1);
    assertEquals("KEYS", chosen(100_000, keys, lookup));
    assertEquals("LOOKUP", chosen(100_000, judged(Candidate.Kind.KEYS, 0.12, 1), lookup));
  }

  /** Among 400 transactions, two shares of about a half differ by five percent for no reason. */
  @Test
  void takesNoChanceForAReason() {
    Judgement keys = judged(Candidate.Kind.KEYS, 0.53, 1);
    Judgement lookup = judged(Candidate.Kind.LOOKUP, 0.5, 1);
    assertEquals("KEYS", chosen(400, keys, lookup));
    assertEquals("LOOKUP", chosen(40_000, keys, lookup));
  }

  @Test
  void takesTheBalancedIfThereIsOne() {
    Judgement keys = judged(Candidate.Kind.KEYS, 0.1, 1.5);
    Judgement lookup = judged(Candidate.Kind.LOOKUP, 0.3, 1.1);
    assertEquals("LOOKUP", chosen(10_000, keys, lookup));
    assertEquals("KEYS", chosen(10_000, keys));
  }

  /** One hot row: wherever it is, its node is the busiest, and copies make all nodes as busy. */
  @Test
  void doesNotTakeCopiesForBalance() {
    Judgement keys = judged(Candidate.Kind.KEYS, 0.1, 2.3, 0.8);
    Judgement copies = judged(Candidate.Kind.REPLICATION, 1, 1, 1);
    assertEquals("KEYS", chosen(10_000, keys, copies));
    Judgement cheap = judged(Candidate.Kind.REPLICATION, 0.3, 1, 0.6);
    assertEquals("REPLICATION", chosen(10_000, keys, cheap));
  }

  /** Four warehouses on three nodes: one node has two, unless transactions are cut for balance. */
  @Test
  void doesNotDistributeMostTransactionsForBalance() {
    Judgement keys = judged(Candidate.Kind.KEYS, 0.08, 1.43);
    Judgement rules = judged(Candidate.Kind.RULES, 0.57, 1.1);
    assertEquals("KEYS", chosen(474, keys, rules));
  }
}
