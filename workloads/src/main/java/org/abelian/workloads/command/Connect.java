package org.abelian.workloads.command;

import org.abelian.workloads.database.Database;
import picocli.CommandLine.Option;

/** Options that name a database. */
final class Connect {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "JDBC URL of the database; default: the local cluster through the driver")
  private String url;

  @Option(names = "--user", defaultValue = "app", description = "default: ${DEFAULT-VALUE}")
  private String user;

  @Option(names = "--password", defaultValue = "app", description = "default: ${DEFAULT-VALUE}")
  private String password;

  Database database() {
    return new Database(Environment.driver(url).url(), user, password);
  }

  boolean isGiven() {
    return url != null;
  }
}
