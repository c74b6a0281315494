package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.abelian.router.pool.NodeStatement;
import org.junit.jupiter.api.Test;

class StatementCacheTest {
  private final StatementCache cache = new StatementCache(1_000_000);

  private SharedStatement text(int number, int size) {
    return cache.intern(NodeStatement.of("SELECT " + number + " -- " + "x".repeat(size)).body());
  }

  @Test
  void aTextIsKnownUntilManyHaveComeAfterIt() {
    SharedStatement first = text(0, 10);
    for (int i = 1; i < 100; i++) {
      text(i, 10);
    }
    assertSame(first, text(0, 10));
  }

  @Test
  void largeTextsAreForgottenSooner() {
    SharedStatement first = text(0, 10);
    for (int i = 1; i < 100; i++) {
      text(i, 10_000);
    }
    assertNotSame(first, text(0, 10));
  }
}
