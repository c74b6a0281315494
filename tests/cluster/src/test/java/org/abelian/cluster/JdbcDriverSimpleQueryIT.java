package org.abelian.cluster;

import java.util.List;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithCluster;

/** The driver with simple queries: all values are literals of the text. */
@WithCluster
class JdbcDriverSimpleQueryIT extends JdbcContract {
  private final LocalCluster cluster;

  JdbcDriverSimpleQueryIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  String url() {
    return cluster.driverUrl() + "?preferQueryMode=simple";
  }

  @Override
  List<LocalNode> nodes() {
    return cluster.nodes();
  }

  @Override
  boolean isExtended() {
    return false;
  }
}
