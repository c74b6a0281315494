package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;

/** A cancel request reaches the statement it was meant for and no other. */
@WithCluster
class CancelIT {
  private final LocalCluster cluster;
  private final RouterServer router;

  CancelIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @Test
  void aRunningStatementIsCancelledWith57014() throws Exception {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("SELECT pg_sleep(60)").flush();
      awaitRunning();
      client.cancel();
      Message error = first(client.untilReady(), 'E');
      assertEquals("57014", error.sqlState());
      assertEquals("1", first(client.query("SELECT 1").untilReady(), 'D').values()[0]);
    }
  }

  @Test
  void aCancelOfAnIdleSessionHarmsNothing() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("SELECT 1").untilReady();
      client.cancel();
      for (int i = 0; i < 20; i++) {
        List<Message> answer = client.query("SELECT " + i).untilReady();
        assertEquals("" + i, first(answer, 'D').values()[0]);
      }
    }
  }

  @Test
  void aStatementTimeoutIsReportedAs57014AndNotAsADeadlock() throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      client.query("SET statement_timeout = '50ms'").untilReady();
      Message error = first(client.query("SELECT pg_sleep(60)").untilReady(), 'E');
      assertEquals("57014", error.sqlState());
      assertEquals("canceling statement due to statement timeout", error.fields().get('M'));
    }
  }

  /** Waits, boundedly, until the statement shows up on a node. */
  private void awaitRunning() throws Exception {
    for (int i = 0; i < 500; i++) {
      for (LocalNode node : cluster.nodes()) {
        String running =
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT"
                + " pg_sleep%'";
        if (ProxiedCluster.number(node, running) > 0) {
          return;
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError("the statement does not run");
  }

  private static Message first(List<Message> messages, char type) {
    return messages.stream()
        .filter(m -> m.type() == type)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type + " in " + messages));
  }
}
