package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReadLedgerTest {
  private static final List<Integer> ALL = List.of(1, 2, 3);
  private static final List<Integer> SOME = List.of(1, 3);

  private final ReadLedger ledger = new ReadLedger();

  @Test
  void nodesAreContendedFromAReadThatMetATransactionHalfWayToOneThatMetNone() {
    assertFalse(ledger.isContended(ALL));
    ledger.met(ALL, true);
    assertTrue(ledger.isContended(ALL));
    assertFalse(ledger.isContended(SOME));
    ledger.met(SOME, false);
    assertTrue(ledger.isContended(ALL));
    ledger.met(ALL, false);
    assertFalse(ledger.isContended(ALL));
  }

  @Test
  void readsTakeTurnsForAWhileWhereIndependentTransactionsWereMet() {
    assertFalse(ledger.takesTurn(ALL));
    ledger.metIndependent(ALL);
    assertFalse(ledger.takesTurn(SOME));
    int turns = 0;
    while (ledger.takesTurn(ALL)) {
      turns++;
    }
    assertTrue(turns > 1 && turns < 100, "and then one looks whether it has to: " + turns);
    assertFalse(ledger.takesTurn(ALL));
    ledger.metIndependent(ALL);
    ledger.leaveTurns(ALL);
    assertFalse(ledger.takesTurn(ALL), "no lane gives it a place now");
  }

  @Test
  void readsHaveWitnessesForAWhileWhereTransactionsHadOtherNodes() {
    assertEquals(SOME, ledger.asked(SOME));
    ledger.needsWitnesses(SOME, ALL);
    assertEquals(ALL, ledger.asked(ALL));
    int reads = 0;
    while (ledger.asked(SOME).equals(ALL)) {
      reads++;
    }
    assertTrue(reads > 1 && reads < 100, "and then one looks whether it has to: " + reads);
    ledger.needsWitnesses(SOME, ALL);
    ledger.leaveWitnesses(SOME);
    assertEquals(SOME, ledger.asked(SOME), "one of them cannot be asked");
    assertFalse(ledger.mayHaveWitnesses(SOME));
    for (int i = 0; i < reads; i++) {
      ledger.asked(SOME);
    }
    assertTrue(ledger.mayHaveWitnesses(SOME), "perhaps it can be by now");
  }

  @Test
  void readsOfSomeNodesBeginWithWhatIsKnownOfMore() {
    assertNull(ledger.of(SOME));
    List<ReadEvidence> told =
        Stream.of("r 5 5 0", "s 9 9 0", "t 2 2 0").map(ReadEvidence::parse).toList();
    ledger.begin(ALL, ReadKnowledge.behindGates(ALL, told));
    ReadKnowledge some = ledger.of(SOME);
    assertEquals(2L, some.over(1));
    assertSame(some, ledger.of(SOME));
    ledger.forget(SOME, some);
    assertNull(ledger.of(SOME), "what it came from is no better");
    assertNull(ledger.of(ALL));
  }
}
