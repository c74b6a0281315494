package org.abelian.workloads.evaluate;

import java.nio.file.Path;
import java.util.List;
import org.abelian.workloads.database.Database;

/**
 * The databases that are compared.
 *
 * @param one a PostgreSQL with the extension, outside of the cluster
 * @param cluster three nodes, through the driver
 * @param nodes these nodes, past the router
 * @param bindir folder of pgbench
 */
public record Targets(Database one, Database cluster, List<Database> nodes, Path bindir) {
  public Targets {
    nodes = List.copyOf(nodes);
  }

  Database at(Place place) {
    return place == Place.ONE ? one : cluster;
  }

  /** The servers that do an arm's work, past the router. */
  List<Database> servers(Place place) {
    return place == Place.ONE ? List.of(one) : nodes;
  }
}
