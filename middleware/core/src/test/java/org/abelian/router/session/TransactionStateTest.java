package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Test;

class TransactionStateTest {
  private final MemoryBudget memory = new MemoryBudget(10_000);
  private final TransactionState state = new TransactionState(memory);

  private void savepoint(String name) {
    state.savepoint(name, NodeStatement.of("SAVEPOINT " + name));
  }

  private void set(String name) {
    state.setting(List.of(name), NodeStatement.of("SET " + name + " = 1"));
  }

  private List<String> history() {
    return state.history().stream().map(entry -> entry.statement().sql()).toList();
  }

  @Test
  void rollbackToASavepointForgetsWhatCameAfterAndKeepsIt() {
    savepoint("a");
    set("x");
    savepoint("b");
    state.fail();
    state.rollbackTo("a");
    assertEquals(List.of("SAVEPOINT a"), history());
    assertFalse(state.isFailed());
  }

  @Test
  void whatIsKeptIsCounted() {
    savepoint("a");
    savepoint("b");
    set("x");
    savepoint("c");
    List<TransactionState.Entry> before = List.copyOf(state.history());
    state.release("c");
    state.rollbackTo("b");
    state.release("a");
    assertEquals(0, memory.used());
    state.restore(before);
    assertTrue(memory.used() > 0, memory::toString);
    state.end();
    assertEquals(0, memory.used());
  }

  @Test
  void releaseForgetsSavepointsAndKeepsSettings() {
    savepoint("a");
    set("x");
    savepoint("b");
    state.release("a");
    assertEquals(List.of("SET x = 1"), history());
  }

  @Test
  void releaseTakesBackModes() {
    set("transaction_read_only");
    savepoint("a");
    set("transaction_read_only");
    set("x");
    state.release("a");
    assertEquals(List.of("SET transaction_read_only = 1", "SET x = 1"), history());
  }

  @Test
  void ofSavepointsWithOneNameTheLastCounts() {
    savepoint("a");
    set("x");
    savepoint("a");
    state.release("a");
    assertEquals(List.of("SAVEPOINT a", "SET x = 1"), history());
    assertTrue(state.hasSavepoint("a"));
  }

  @Test
  void modesOfABeginInTheMidstComeBehindWhatHasHappened() {
    state.beginImplicit();
    state.adopt(NodeStatement.of("BEGIN READ ONLY"), null);
    assertEquals("BEGIN READ ONLY", state.beginStatement().sql());
    assertEquals(List.of(), history());
    state.end();
    state.beginImplicit();
    state.isolation("serializable");
    set("x");
    state.adopt(NodeStatement.of("BEGIN READ ONLY"), null);
    assertEquals(List.of("SET x = 1", "BEGIN READ ONLY"), history());
    assertEquals("serializable", state.isolation());
    assertTrue(state.isBlock());
  }

  @Test
  void whatWasSetIsFoundByNameUntilItIsTakenBack() {
    set("x");
    savepoint("a");
    set("search_path");
    assertEquals("SET search_path = 1\0", state.changesOf(List.of("search_path", "role")));
    state.rollbackTo("a");
    assertEquals("", state.changesOf(List.of("search_path", "role")));
    assertTrue(state.changesSettings());
  }

  @Test
  void theStatusIsThatOfTheClientsBlock() {
    assertEquals('I', state.status());
    state.beginImplicit();
    assertEquals('I', state.status());
    state.adopt();
    assertEquals('T', state.status());
    state.fail();
    assertEquals('E', state.status());
    state.end();
    assertEquals('I', state.status());
  }

  @Test
  void aSavepointBringsBackTheValueThatWasSetBeforeIt() {
    state.beginBlock(NodeStatement.of("BEGIN"), null);
    assertNull(state.valueSet("x"));
    state.setting("x", "1", NodeStatement.of("SET x = 1"));
    state.savepoint("a", NodeStatement.of("SAVEPOINT a"));
    state.setting("x", null, NodeStatement.of("RESET x"));
    assertEquals("", state.valueSet("x"));
    state.rollbackTo("a");
    assertEquals("1", state.valueSet("x"));
    state.end();
    assertNull(state.valueSet("x"));
  }
}
