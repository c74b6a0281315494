package org.abelian.advisor.command;

import java.sql.SQLException;
import org.abelian.advisor.AdvisorException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** All commands. */
@Command(
    name = "./abelian advise",
    mixinStandardHelpOptions = true,
    description = {
      "Which key to shard by, found in a trace of the workload. `run` does everything; the other"
          + " commands are its phases, each from files to a folder."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RunCommand.class,
      TraceCommand.class,
      GraphCommand.class,
      PartitionCommand.class,
      ExplainCommand.class,
      ValidateCommand.class,
      ReportCommand.class,
      SampleCommand.class,
      BenchCommand.class
    })
public final class Commands implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Commands.class);

  private Commands() {}

  /**
   * Executes a command line.
   *
   * @return exit status: 0 success, 2 the command could not run
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
    if (exception instanceof AdvisorException) {
      return exception.getMessage();
    }
    if (exception instanceof SQLException error) {
      return "%s (SQLSTATE %s)".formatted(error.getMessage(), error.getSQLState());
    }
    LOG.error("the command failed", exception);
    return exception.toString();
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }
}
