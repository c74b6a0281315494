package org.abelian.router.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PreparedStatementsTest {
  private final PreparedStatements prepared = new PreparedStatements(2, 1000);

  @Test
  void aParseThatTheNodeSkippedPreparesNothing() {
    NodeStatement first = NodeStatement.of("a");
    NodeStatement second = NodeStatement.of("b");
    prepared.prepare(first);
    prepared.prepare(second);
    prepared.confirm();
    prepared.endGroup();
    assertNotNull(prepared.name(first));
    assertNull(prepared.name(second));
  }

  @Test
  void theUnnamedStatementIsForgottenWhenItsParseWasSkipped() {
    NodeStatement statement = NodeStatement.of("a");
    prepared.prepareUnnamed(statement);
    prepared.endGroup();
    assertFalse(prepared.isUnnamed(statement));
  }

  @Test
  void theLeastRecentlyUsedIsEvicted() {
    NodeStatement[] statements = {
      NodeStatement.of("a"), NodeStatement.of("b"), NodeStatement.of("c")
    };
    for (NodeStatement statement : statements) {
      prepared.prepare(statement);
      prepared.confirm();
    }
    prepared.name(statements[0]);
    assertNotNull(prepared.evict());
    assertNotNull(prepared.name(statements[0]));
    assertNull(prepared.name(statements[1]));
    assertNull(prepared.evict(), "no more than needed");
  }

  @Test
  void largeOnesLeaveEarlierButTheLastTwoStay() {
    PreparedStatements prepared = new PreparedStatements(100, 1000);
    for (int i = 0; i < 10; i++) {
      prepared.prepare(NodeStatement.of("SELECT '" + "x".repeat(2000) + "'"));
      while (prepared.evict() != null) {
        continue;
      }
    }
    assertEquals(2, prepared.size());
    for (int i = 0; i < 20; i++) {
      prepared.prepare(NodeStatement.of("SELECT " + i));
      while (prepared.evict() != null) {
        continue;
      }
    }
    assertEquals(20, prepared.size(), "small ones alone again");
  }

  @Test
  void namesAreNeverUsedTwice() {
    Set<String> names = new HashSet<>();
    NodeStatement statement = NodeStatement.of("a");
    for (int i = 0; i < 100; i++) {
      names.add(new String(prepared.prepare(statement), StandardCharsets.US_ASCII));
      prepared.forget(statement);
    }
    assertEquals(100, names.size());
  }
}
