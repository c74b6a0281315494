package org.abelian.cluster;

import java.util.List;
import java.util.Map;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.Ports;
import org.abelian.harness.ServerProcess;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The stock PostgreSQL driver over the server. */
@WithCluster
class JdbcServerIT extends JdbcContract {
  private static ServerProcess server;
  private final LocalCluster cluster;

  JdbcServerIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(LocalCluster cluster) {
    int port = Ports.reserve();
    server =
        ServerProcess.start(
            "org.abelian.server.Main",
            port,
            Map.of(),
            List.of(
                "--listen",
                "127.0.0.1:" + port,
                "--nodes",
                cluster.addresses(),
                "--user",
                LocalNode.ROUTER,
                "--password-file",
                PasswordFile.of(LocalNode.ROUTER)));
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
