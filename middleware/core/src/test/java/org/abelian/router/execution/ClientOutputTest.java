package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.MemoryBudget;
import org.junit.jupiter.api.Test;

class ClientOutputTest {
  private final ClientOutput output = new ClientOutput(MemoryBudget.unlimited());

  @Test
  void knowsTheTagAtItsEnd() {
    assertNull(output.lastTag());
    output.commandComplete("INSERT 0 5");
    assertEquals("INSERT 0 5", output.lastTag());
    output.writer().begin(BackendType.DATA_ROW).int2(0).end();
    assertNull(output.lastTag());
    output.commandComplete("");
    assertEquals("", output.lastTag());
    output.taken(output.queue().size());
    assertNull(output.lastTag());
    output.commandComplete("SELECT 18446744073709551615");
    output.taken(3);
    assertNull(output.lastTag());
  }
}
