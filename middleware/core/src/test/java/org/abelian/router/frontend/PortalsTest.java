package org.abelian.router.frontend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.abelian.router.engine.Execution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.SharedStatement;
import org.junit.jupiter.api.Test;

/** A name is one portal's, from when it is bound until it is closed or its transaction is over. */
class PortalsTest {
  private final MemoryBudget memory = new MemoryBudget(100_000_000);
  private final Portals portals = new Portals(memory);

  /** Counts how often it is closed. */
  private static final class Fake extends Execution {
    private int closed;
    private int freed;

    @Override
    public void free() {
      freed++;
    }

    @Override
    public void describe(Description wanted) {}

    @Override
    public Progress execute(int limit) {
      return Progress.NEXT;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static Portals.Portal portal(Execution execution, boolean once) {
    SharedStatement statement = new SharedStatement(NodeStatement.of("SELECT 1"));
    return new Portals.Portal(statement, execution, null, once);
  }

  private static Portals.Portal portal() {
    return portal(new Fake(), false);
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private Portals.Portal get(String name) {
    return portals.get(bytes(name), 0, name.length());
  }

  @Test
  void aNameIsTakenUntilItsPortalIsGone() {
    portals.requireFree("p");
    portals.put("p", portal(), 0, 0);
    ClientError taken = assertThrows(ClientError.class, () -> portals.requireFree("p"));
    assertEquals("42P03", taken.fields().get('C'));
    assertNotNull(portals.remove(bytes("p"), 0, 1));
    portals.requireFree("p");
    portals.put("p", portal(), 0, 0);
    portals.clear();
    portals.requireFree("p");
  }

  @Test
  void namesAreCutAsPostgresqlCutsThem() {
    String longest = "n".repeat(63);
    Portals.Portal portal = portal();
    portals.put(longest, portal, 0, 0);
    assertSame(portal, get(longest + "1"));
    assertNull(get(longest.substring(1)));
    assertSame(portal, portals.remove(bytes(longest + "2"), 0, 64));
    assertFalse(portals.has(longest));
  }

  @Test
  void goingBackToASavepointForgetsWhatWasBoundAfterIt() {
    portals.put("before", portal(), 0, 0);
    portals.put("after", portal(), 1, 0);
    portals.rolledBack(1);
    assertTrue(portals.has("before"));
    assertFalse(portals.has("after"));
  }

  @Test
  void whatWasBoundAfterAReleasedSavepointBelongsToTheOuterLevel() {
    portals.put("p", portal(), 2, 0);
    portals.released(1);
    portals.rolledBack(2);
    assertTrue(portals.has("p"));
    portals.rolledBack(1);
    assertFalse(portals.has("p"));
  }

  @Test
  void closingOneOrAllClosesThemWhereTheyRun() {
    Fake one = new Fake();
    Fake other = new Fake();
    portals.put("one", portal(one, false), 0, 0);
    portals.put("other", portal(other, false), 0, 0);
    portals.close("one", "");
    assertEquals(1, one.closed);
    assertEquals(0, other.closed);
    portals.put("closes", portal(), 0, 0);
    portals.close(null, "closes");
    assertEquals(1, other.closed);
    assertTrue(portals.has("closes"), "what runs stays");
    portals.close(null, "");
    assertFalse(portals.has(null));
    assertEquals(0, memory.used());
  }

  @Test
  void howeverAPortalGoesItKeepsNothing() {
    Fake unnamed = new Fake();
    portals.put(portal(unnamed, false));
    portals.forgetUnnamed();
    assertEquals(1, unnamed.freed);
    Fake named = new Fake();
    portals.put("p", portal(named, false), 1, 0);
    portals.rolledBack(0);
    assertEquals(1, named.freed);
    Fake last = new Fake();
    portals.put(portal(last, false));
    portals.clear();
    assertEquals(1, last.freed);
  }

  @Test
  void portalsAreCountedWithTheirValuesAndBounded() {
    portals.put("values", portal(), 0, 1_000_000);
    assertTrue(memory.used() > 1_000_000, memory::toString);
    AbelianException tooMany =
        assertThrows(
            AbelianException.class,
            () -> {
              for (int i = 0; i < 100_000; i++) {
                portals.put("p" + i, portal(), 0, 0);
              }
            });
    assertEquals(SqlState.CONFIGURATION_LIMIT_EXCEEDED, tooMany.state());
    portals.clear();
    assertEquals(0, memory.used());
    AbelianException tooLarge =
        assertThrows(AbelianException.class, () -> portals.put("p", portal(), 0, 200_000_000));
    assertEquals(SqlState.OUT_OF_MEMORY, tooLarge.state());
    assertFalse(portals.has("p"));
    assertEquals(0, memory.used());
  }

  @Test
  void whatGivesNoRowsRunsOnce() {
    Portals.Portal command = portal(new Fake(), true);
    Portals.Portal read = portal(new Fake(), false);
    assertFalse(command.isSpent());
    command.execution().ran();
    read.execution().ran();
    assertTrue(command.isSpent());
    assertFalse(read.isSpent());
  }
}
