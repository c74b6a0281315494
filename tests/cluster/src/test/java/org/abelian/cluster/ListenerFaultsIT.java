package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** Nobody goes on to listen who may have missed something. */
@WithCluster(exclusive = true)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ListenerFaultsIT {
  private final LocalCluster cluster;
  private final RouterServer router;

  ListenerFaultsIT(LocalCluster cluster, RouterServer router) {
    this.cluster = cluster;
    this.router = router;
  }

  @Test
  void aNodeThatIsLostEndsThoseWhoListen() throws Exception {
    LocalNode last = cluster.node(cluster.nodes().size() - 1);
    try (Connection served = router.connect();
        Connection embedded = cluster.connect();
        Connection other = router.connect()) {
      listen(served);
      listen(embedded);
      last.kill();
      assertEquals("57P01", ended(served));
      assertEquals("57P01", ended(embedded));
      SQLException refusal = assertThrows(SQLException.class, () -> listen(other));
      assertEquals("08001", refusal.getSQLState());
      last.start();
      listen(other);
      try (Connection sender = router.connect();
          Statement statement = sender.createStatement()) {
        statement.execute("NOTIFY news, 'again'");
      }
      assertEquals(
          "again", other.unwrap(PGConnection.class).getNotifications(30_000)[0].getParameter());
    } finally {
      last.start();
    }
  }

  private static String ended(Connection listener) {
    return assertThrows(
            SQLException.class, () -> listener.unwrap(PGConnection.class).getNotifications(30_000))
        .getSQLState();
  }

  private static void listen(Connection listener) throws SQLException {
    try (Statement statement = listener.createStatement()) {
      statement.execute("LISTEN news");
    }
  }
}
