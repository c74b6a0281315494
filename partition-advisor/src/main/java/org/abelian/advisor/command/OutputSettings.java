package org.abelian.advisor.command;

import java.nio.file.Path;
import org.abelian.advisor.files.OutputFolder;
import picocli.CommandLine.Option;

/** Where a phase writes. */
final class OutputSettings {
  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "DIR",
      description = "the folder to write; one that this command wrote before is replaced")
  Path output;

  OutputFolder begin() {
    return OutputFolder.begin(output);
  }
}
