package org.abelian.cluster;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The stock PostgreSQL driver over the server. */
@WithCluster
class JdbcServerIT extends JdbcContract {
  private static RouterServer server;
  private final LocalCluster cluster;

  JdbcServerIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(LocalCluster cluster) {
    server = RouterServer.start(cluster);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String url() {
    return server.jdbcUrl();
  }

  @Override
  List<LocalNode> nodes() {
    return cluster.nodes();
  }
}
