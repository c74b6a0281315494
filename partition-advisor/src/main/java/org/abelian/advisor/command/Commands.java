package org.abelian.advisor.command;

import java.sql.SQLException;
import java.util.Set;
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
      "Which key to shard by, found in a trace of the workload. `run` does everything, and is"
          + " meant when no command is named; the others are its phases, each from files to a"
          + " folder."
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
      MovesCommand.class,
      ProposeCommand.class,
      WatchCommand.class,
      SampleCommand.class,
      BenchCommand.class
    })
public final class Commands implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Commands.class);

  /** Options of the program itself. */
  private static final Set<String> SHOWN = Set.of("-h", "--help", "-V", "--version");

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
    return line.execute(withCommand(arguments));
  }

  /** Whoever names only options wants everything done; or a cluster watched, by the first one. */
  private static String[] withCommand(String... arguments) {
    if (arguments.length == 0 || !arguments[0].startsWith("-") || SHOWN.contains(arguments[0])) {
      return arguments;
    }
    if (arguments[0].equals("--watch")) {
      String[] watching = arguments.clone();
      watching[0] = "watch";
      return watching;
    }
    String[] more = new String[arguments.length + 1];
    more[0] = "run";
    System.arraycopy(arguments, 0, more, 1, arguments.length);
    return more;
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
