package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.cluster.wire.WireException;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** The server authenticates its clients itself, by SCRAM, against the nodes' passwords. */
@WithCluster
class AuthenticationIT {
  private final RouterServer router;

  AuthenticationIT(RouterServer router) {
    this.router = router;
  }

  @Test
  void theRightPasswordIsLetIn() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query("SELECT current_user").untilReady();
      assertEquals("app", answer.get(1).values()[0]);
    }
  }

  @Test
  void theServerProvesThatItKnowsThePassword() throws IOException {
    // WireClient fails if the server's signature is missing or wrong; here: it is sent at all.
    try (WireClient client = ParityFixture.wire(router.port())) {
      assertTrue(client.startup().stream().filter(m -> m.type() == 'R').count() >= 4);
    }
  }

  @Test
  void aWrongPasswordIsRefusedWith28P01() {
    assertEquals("28P01", refusal(LocalNode.USER, "wrong", LocalNode.DATABASE));
  }

  @Test
  void anUnknownUserIsRefusedLikeAWrongPassword() {
    assertEquals("28P01", refusal("nobody", "nobody", LocalNode.DATABASE));
  }

  @Test
  void anUnknownDatabaseIsRefused() {
    assertEquals("3D000", refusal(LocalNode.USER, LocalNode.USER, "no_such_database"));
  }

  @Test
  void aDatabaseThatTheRouterDoesNotServeIsRefused() {
    assertEquals("3D000", refusal(LocalNode.USER, LocalNode.USER, "template1"));
  }

  @Test
  void clientsCannotReadVerifiers() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query("SELECT abelian.scram_verifier('router')").untilReady();
      assertEquals("42501", answer.get(0).sqlState());
    }
  }

  private String refusal(String user, String password, String database) {
    return assertThrows(
            WireException.class, () -> WireClient.connect(router.port(), user, password, database))
        .error()
        .sqlState();
  }
}
