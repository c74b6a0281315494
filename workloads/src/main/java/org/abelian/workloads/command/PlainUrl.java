package org.abelian.workloads.command;

import org.abelian.workloads.database.Database;
import picocli.CommandLine.Option;

/** Where one PostgreSQL is that a cluster is compared with. */
final class PlainUrl {
  @Option(names = "--plain-url", paramLabel = "URL", description = "one PostgreSQL")
  private String url;

  Database database() {
    return Environment.plain(url);
  }
}
