package org.abelian.workloads.command;

import org.abelian.workloads.database.Database;
import picocli.CommandLine.Option;

/** Where the cluster is, for the driver. */
final class DriverUrl {
  @Option(names = "--url", paramLabel = "URL", description = "the cluster through the driver")
  private String url;

  Database database() {
    return Environment.driver(url);
  }
}
