package org.abelian.parity;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What {@code tests/parity/run} calls. */
@Command(
    name = "abelian-parity",
    mixinStandardHelpOptions = true,
    description = "Judges runs of PostgreSQL's regression scripts.",
    subcommands = {JudgeCommand.class, PageCommand.class})
public final class Main {
  private Main() {}

  /** Runs a command; the status is 1 when a file is worse than its baseline. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }
}
