package org.abelian.router.frontend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.ScriptedCluster;
import org.abelian.router.execution.ClientError;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which node has which cursor. */
class NodeCursorsTest extends ScriptedCluster {
  private final NodeCursors cursors = new NodeCursors();
  private Backend one;
  private Backend other;

  @BeforeEach
  void nodes() {
    one = backends.backend(catalog, 1);
    other = backends.backend(catalog, 2);
  }

  @Test
  void aNameIsOneNodesUntilItsCursorIsClosed() {
    cursors.declare("c", one, 0, false);
    assertTrue(cursors.isDeclared("c"));
    ClientError taken =
        assertThrows(ClientError.class, () -> cursors.declare("c", other, 0, false));
    assertEquals("42P03", taken.fields().sqlState());
    cursors.close("c");
    assertFalse(cursors.isDeclared("c"));
    assertSame(one, cursors.home("c"), "the node says best that it is gone");
    cursors.declare("c", other, 0, false);
    assertSame(other, cursors.home("c"));
    assertEquals(List.of(other), cursors.homes());
  }

  @Test
  void whatAFunctionHasOpenedIsWhereItWasFoundLast() {
    cursors.opened("c", one);
    assertSame(one, cursors.home("c"));
    assertFalse(cursors.isDeclared("c"), "it is looked for again");
    cursors.opened("c", other);
    assertSame(other, cursors.home("c"));
    cursors.opened("c", null);
    assertNull(cursors.home("c"));
    cursors.opened("c", one);
    cursors.ended(true);
    assertNull(cursors.home("c"));
  }

  @Test
  void thoseOfARolledBackSavepointAreGone() {
    cursors.declare("before", one, 0, false);
    cursors.declare("after", one, 1, false);
    cursors.rolledBack(1);
    assertTrue(cursors.isDeclared("before"));
    assertFalse(cursors.isDeclared("after"));
  }
}
