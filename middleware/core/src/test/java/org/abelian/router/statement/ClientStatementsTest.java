package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.statement.ClientStatements.Signature;
import org.junit.jupiter.api.Test;

class ClientStatementsTest {
  private final MemoryBudget memory = new MemoryBudget(1_000_000);
  private final ClientStatements client = new ClientStatements(memory);

  private static SharedStatement text(int size) {
    return new SharedStatement(NodeStatement.of("SELECT '" + "x".repeat(size) + "'"));
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private static void define(ClientStatements client, String name, SharedStatement statement) {
    client.define(bytes(name), 0, name.length(), statement, null, Signature.NONE);
  }

  private SharedStatement get(String name) {
    return client.get(bytes(name), 0, name.length());
  }

  @Test
  void textsUnderNamesAreKeptUntilThereIsNoMemoryForThem() {
    AbelianException refused =
        assertThrows(
            AbelianException.class,
            () -> {
              for (int i = 0; i < 1000; i++) {
                define(client, (i % 2 == 0 ? "S_" : "name") + i, text(50_000));
              }
            });
    assertEquals(SqlState.OUT_OF_MEMORY, refused.state());
    assertTrue(memory.used() > 500_000, memory::toString);
    assertNull(get("S_998"), "what was refused is not there");
    client.clear();
    assertEquals(0, memory.used());
    define(client, "S_1", text(50_000));
  }

  @Test
  void aTextThatSeveralClientsHaveIsCountedOnce() {
    ClientStatements other = new ClientStatements(memory);
    SharedStatement shared = text(150_000);
    define(client, "a", shared);
    define(client, "S_1", shared);
    define(other, "a", shared);
    long used = memory.used();
    client.remove("a");
    client.remove("S_1");
    client.remove("S_1");
    assertEquals(used, memory.used());
    other.clear();
    assertEquals(0, memory.used());
  }

  @Test
  void theTextWithoutANameIsCountedWhenItIsLarge() {
    define(client, "", text(100));
    assertEquals(0, memory.used());
    for (int i = 0; i < 100; i++) {
      define(client, "", text(200_000));
    }
    assertTrue(memory.used() >= 200_000, memory::toString);
    define(client, "", text(100));
    assertEquals(0, memory.used());
  }

  @Test
  void namesAreCutAsPostgresqlCutsThem() {
    String longest = "n".repeat(63);
    SharedStatement statement = text(1);
    define(client, longest + "1", statement);
    assertEquals(statement, get(longest));
    assertEquals(statement, get(longest + "2"));
    assertNull(get(longest.substring(1)));
    assertTrue(client.remove(longest));
    assertNull(get(longest + "1"));
  }

  @Test
  void clearingLeavesTheUnnamedStatementAndFreeingDoesNot() {
    SharedStatement statement = text(200_000);
    define(client, "", statement);
    define(client, "a", text(1));
    client.clear();
    assertNull(get("a"));
    assertEquals(statement, get(""));
    client.free();
    assertNull(get(""));
    assertEquals(0, memory.used());
  }

  @Test
  void aGroupThatRunsAgainFindsTheUnnamedStatementThatItBeganWith() {
    SharedStatement former = text(200_000);
    define(client, "", former);
    long used = memory.used();
    client.beginGroup();
    define(client, "", text(1));
    client.answered(client.unnamed());
    client.groupRunsAgain();
    assertEquals(former, get(""));
    assertEquals(used, memory.used());
    client.beginGroup();
    define(client, "", text(1));
    client.answered(client.unnamed());
    client.endGroup(); // The commit fails, and with it the group.
    client.groupRunsAgain();
    assertEquals(former, get(""));
    client.beginGroup();
    client.remove(bytes(""), 0, 0);
    client.answered(client.unnamed());
    client.endGroup();
    assertNull(get(""));
    assertEquals(used, memory.used(), "the group may run again");
    client.groupIsOver();
    assertEquals(0, memory.used());
  }

  @Test
  void whatWasThereBeforeComesBackWithoutRoomForIt() {
    SharedStatement former = text(200_000);
    define(client, "", former);
    client.beginGroup();
    define(client, "", text(1));
    memory.take(memory.limit() - memory.used());
    client.endGroup();
    assertEquals(former, get(""));
    assertEquals(memory.limit(), memory.used(), "it was counted all the while");
    client.free();
  }

  @Test
  void whatAnErrorHasSkippedLeavesTheUnnamedStatement() {
    SharedStatement last = text(2);
    client.beginGroup();
    define(client, "", text(1));
    client.answered(client.unnamed());
    define(client, "", last);
    client.answered(client.unnamed());
    define(client, "", text(200_000));
    client.remove(bytes(""), 0, 0);
    client.endGroup();
    assertEquals(last, get(""));
    assertEquals(0, memory.used());
  }
}
