package org.abelian.cluster;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;

/** The driver, as it is used by default. */
@WithCluster
class JdbcDriverIT extends JdbcContract {
  private final LocalCluster cluster;

  JdbcDriverIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  String url() {
    return cluster.driverUrl();
  }

  @Override
  List<LocalNode> nodes() {
    return cluster.nodes();
  }
}
