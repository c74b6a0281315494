package org.abelian.router.frontend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.statement.ClientStatements;
import org.abelian.router.statement.ClientStatements.Signature;
import org.abelian.router.statement.SharedStatement;
import org.junit.jupiter.api.Test;

class ToldStatementsTest {
  private final ClientStatements statements = new ClientStatements(new MemoryBudget(1_000_000));

  private void define(String name, String sql, String command) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    SharedStatement statement = new SharedStatement(NodeStatement.of(sql));
    statements.define(bytes, 0, bytes.length, statement, command, Signature.NONE);
  }

  @Test
  void noneIsAnEmptyList() {
    define("", "SELECT 1", null);
    assertEquals("SELECT abelian.tell_statements(E'[]')", ToldStatements.telling(statements).sql());
  }

  @Test
  void textsStandInALiteralWhateverTheyHold() {
    define("S_1", "SELECT 'a\\b'", null);
    define("it's", "SELECT 1", "PREPARE \"it's\" AS SELECT 1");
    String told = ToldStatements.telling(statements).sql();
    assertTrue(told.contains("\"name\":\"S_1\",\"statement\":\"SELECT ''a\\\\\\\\b''\""), told);
    assertTrue(told.contains("\"name\":\"it''s\""), told);
    assertTrue(told.contains("PREPARE \\\\\"it''s\\\\\" AS SELECT 1"), told);
    assertTrue(told.contains("\"from_sql\":true"), told);
  }
}
