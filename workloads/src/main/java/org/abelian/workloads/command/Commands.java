package org.abelian.workloads.command;

import java.sql.SQLException;
import org.abelian.workloads.database.SqlStates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** All commands. */
@Command(
    name = "./abelian bench",
    mixinStandardHelpOptions = true,
    description =
        "Benchmarks of Abelian. Each NAME has its own --help. One more is `advisor`, of another"
            + " program.",
    synopsisSubcommandLabel = "NAME",
    subcommands = {
      HotRowCommand.class,
      MicroCommand.class,
      TypesCommand.class,
      RouterCommand.class,
      ConnectionsCommand.class,
      CommitCommand.class,
      CombineCommand.class,
      ScatterCommand.class,
      QueriesCommand.class,
      TpccCommand.class,
      WorkloadCommand.class,
      EvaluateCommand.class,
      ReportCommand.class
    })
public final class Commands implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Commands.class);

  private Commands() {}

  /**
   * Executes a command line.
   *
   * @return exit status: 0 success, 1 a check or a transaction failed, 2 the command could not run
   */
  public static int execute(String... arguments) {
    CommandLine line = new CommandLine(new Commands());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (exception, command, parsed) -> {
          command.getErr().println(describe(exception));
          return CommandLine.ExitCode.USAGE;
        });
    return line.execute(arguments);
  }

  private static String describe(Exception exception) {
    if (exception instanceof SQLException error) {
      return "%s (SQLSTATE %s)".formatted(error.getMessage(), SqlStates.stateOf(error));
    }
    if (exception instanceof UsageException) {
      return exception.getMessage();
    }
    LOG.error("the command failed", exception);
    return exception.toString();
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }
}
