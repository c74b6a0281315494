package org.abelian.workloads.command;

import java.nio.file.Path;
import org.abelian.workloads.database.Database;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a benchmark in which pgbench runs against one node. */
final class PgbenchLoad {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "jdbc:postgresql: URL of a node with the extension")
  private String url;

  @Mixin private PgbenchFolder programs;

  @Option(names = "--clients", defaultValue = "64", description = "default: ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      description = "of each measurement; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "3", description = "default: ${DEFAULT-VALUE}")
  private int rounds;

  Database node() {
    return Environment.plain(url);
  }

  Path programs() {
    return programs.path();
  }

  int clients() {
    return clients;
  }

  int seconds() {
    return seconds;
  }

  int rounds() {
    return rounds;
  }
}
