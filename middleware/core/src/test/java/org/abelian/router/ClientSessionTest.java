package org.abelian.router;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.StartupCode;
import org.junit.jupiter.api.Test;

class ClientSessionTest {
  @Test
  void aFaultOfTheRouterIsToldBeforeTheConnectionEnds() throws Exception {
    Authentication broken =
        (startup, output) -> {
          throw new IllegalStateException("broken on purpose");
        };
    ClientSession session = new ClientSession(services(), 1, broken);
    byte[] startup = startup("user", "alice");
    session.receive(startup, 0, startup.length);

    assertFalse(session.advance());

    assertTrue(session.isClosed());
    ErrorFields told =
        ErrorFields.read(session.output().queue().array(), session.output().queue().start());
    assertTrue(told.isFatal());
    assertEquals("XX000", told.sqlState());
    assertTrue(told.message().contains("broken on purpose"), told.message());
  }

  private static byte[] startup(String name, String value) {
    byte[] parameters = (name + '\0' + value + '\0' + '\0').getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + parameters.length)
        .putInt(8 + parameters.length)
        .putInt(StartupCode.PROTOCOL_3_0)
        .put(parameters)
        .array();
  }

  /** A client that is not known yet needs no more of them. */
  private static RouterServices services() {
    return new RouterServices(
        null,
        "db",
        null,
        null,
        MemoryBudget.unlimited(),
        null,
        null,
        null,
        new SessionRegistry(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }
}
