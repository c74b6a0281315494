package org.abelian.workloads.command;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Option that names the folder of pgbench. */
final class PgbenchFolder {
  @Option(names = "--bindir", paramLabel = "FOLDER", description = "folder of pgbench")
  private String folder;

  Path path() {
    Optional<String> launched = Optional.ofNullable(System.getenv("ABELIAN_BINDIR"));
    return Path.of(Environment.given(folder, "--bindir", launched));
  }
}
