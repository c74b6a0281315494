package org.abelian.workloads.command;

import org.abelian.workloads.database.Database;
import picocli.CommandLine.Option;

/** Where the router server is. */
final class ServerUrl {
  @Option(names = "--server-url", paramLabel = "URL", description = "the router server")
  private String url;

  Database database() {
    return Environment.server(url);
  }
}
