package org.abelian.cluster;

/** What a fault takes away. Its message is cut in any case. */
enum Victim {
  CONNECTION,
  NODE,
  ROUTER;

  /** Kills the node with the index, or the router. */
  void strike(ProxiedCluster cluster, int node) {
    switch (this) {
      case CONNECTION -> {}
      case NODE -> cluster.node(node).kill();
      case ROUTER -> cluster.router().kill();
    }
  }
}
