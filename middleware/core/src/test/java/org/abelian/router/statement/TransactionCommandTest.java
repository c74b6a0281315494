package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.abelian.router.statement.TransactionCommand.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BEGIN | BEGIN",
        "begin; | BEGIN",
        "/* a */ Begin Work -- b | BEGIN",
        "START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY DEFERRABLE | BEGIN",
        "BEGIN TRANSACTION READ WRITE ISOLATION LEVEL READ COMMITTED | BEGIN",
        "COMMIT | COMMIT",
        "END TRANSACTION | COMMIT",
        "commit work and no chain | COMMIT",
        "ROLLBACK | ROLLBACK",
        "ABORT | ROLLBACK",
        "SAVEPOINT a | SAVEPOINT",
        "RELEASE a | RELEASE",
        "release savepoint a | RELEASE",
        "ROLLBACK TO a | ROLLBACK_TO",
        "ROLLBACK WORK TO SAVEPOINT a | ROLLBACK_TO",
        "BEGIN /* one /* two */ three */ | BEGIN",
        "START TRANSACTION READ ONLY ISOLATION LEVEL REPEATABLE READ NOT DEFERRABLE | BEGIN",
        "savepoint savepoint | SAVEPOINT",
        "release savepoint | RELEASE",
      })
  void commandsAreRecognised(String sql, Kind kind) {
    TransactionCommand command = TransactionCommand.of(sql);
    assertNotNull(command, sql);
    assertEquals(kind, command.kind());
    assertFalse(command.chain());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "BEGIN; SELECT 1",
        "BEGIN nonsense",
        "BEGIN ISOLATION LEVEL",
        "COMMIT PREPARED 'x'",
        "ROLLBACK PREPARED 'x'",
        "SELECT 'BEGIN'",
        "SAVEPOINT",
        "ROLLBACK TO",
        "beginning",
        "commit and",
        "SAVEPOINT U&\"a\"",
        "COMMIT -- and no chain\rAND",
        "BEGIN , READ ONLY",
        "ABORT TO a",
        "\"commit\"",
        "",
      })
  void whatIsNotWhollyUnderstoodIsLeftToANode(String sql) {
    assertNull(TransactionCommand.of(sql));
  }

  @Test
  void namesOfSavepointsAreFoldedAsPostgresqlDoes() {
    assertEquals("abc", TransactionCommand.of("SAVEPOINT ABC").savepoint());
    assertEquals("A\"b", TransactionCommand.of("ROLLBACK TO \"A\"\"b\"").savepoint());
    assertEquals("\u00c4a", TransactionCommand.of("SAVEPOINT \u00c4A").savepoint());
    assertEquals("a".repeat(63), TransactionCommand.of("RELEASE " + "A".repeat(80)).savepoint());
  }

  @Test
  void commentsMayBeLong() {
    String comment = "/* " + "x".repeat(100_000) + " */";
    assertNotNull(TransactionCommand.of("COMMIT " + comment));
    assertEquals(Kind.ROLLBACK, TransactionCommand.of(comment + "ROLLBACK").kind());
  }

  @Test
  void aCommentEndsWithItsLineHoweverThatEnds() {
    assertTrue(TransactionCommand.of("COMMIT -- x\rAND CHAIN").chain());
  }

  @Test
  void theLastIsolationLevelCountsAndChainsAreSeen() {
    assertEquals(
        "repeatable read",
        TransactionCommand.of("BEGIN ISOLATION LEVEL  repeatable   read").isolation());
    assertNull(TransactionCommand.of("BEGIN").isolation());
    assertTrue(TransactionCommand.of("COMMIT AND CHAIN").chain());
  }

  @Test
  void modesOfABeginAreSeen() {
    assertTrue(TransactionCommand.of("BEGIN READ ONLY").modes());
    assertTrue(TransactionCommand.of("START TRANSACTION ISOLATION LEVEL SERIALIZABLE").modes());
    assertTrue(TransactionCommand.of("BEGIN WORK NOT DEFERRABLE;").modes());
    assertFalse(TransactionCommand.of("BEGIN TRANSACTION;").modes());
    assertFalse(TransactionCommand.of("COMMIT").modes());
  }
}
