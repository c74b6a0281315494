package org.abelian.parity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes the table of the baselines into the page about parity. */
@Command(name = "page", description = "Writes the counts of all baselines into a page.")
final class PageCommand implements Callable<Integer> {
  @Option(names = "--baselines", required = true, description = "folder of the baselines")
  private Path baselines;

  @Option(names = "--page", required = true, description = "page with the table's markers")
  private Path page;

  @Override
  public Integer call() throws IOException {
    Files.writeString(page, ParityTable.into(Files.readString(page), ParityTable.of(baselines)));
    return 0;
  }
}
