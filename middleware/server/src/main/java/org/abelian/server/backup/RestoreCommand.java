package org.abelian.server.backup;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.abelian.router.pool.NodeAddress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code abelian restore}. Options are those of pg_restore where it has them. */
@Command(
    name = "abelian restore",
    sortOptions = false,
    description = {
      "Restores a backup of a whole cluster to servers whose databases are empty.",
      "Connections are made as by pg_restore: the environment variables and the password file of"
          + " libpq are read, but for host, port and database. pg_restore must be on the PATH."
    })
public final class RestoreCommand implements Callable<Integer> {
  @Option(
      names = {"-D", "--directory"},
      required = true,
      paramLabel = "DIR",
      description = "the backup")
  private Path directory;

  @Option(
      names = "--node",
      paramLabel = "N=HOST:PORT",
      description = "the server that becomes node N (default: where it was); may be repeated")
  private Map<Integer, String> nodes = new TreeMap<>();

  @Option(
      names = {"-U", "--username"},
      description = "a superuser, on all servers (default: PGUSER)")
  private String user;

  @Option(
      names = {"-d", "--dbname"},
      description =
          "database to restore into; created where it does not exist (default: the name that it"
              + " had)")
  private String database;

  @Option(
      names = "--maintenance-db",
      defaultValue = "postgres",
      description = "database to connect to at first (default: ${DEFAULT-VALUE})")
  private String maintenanceDatabase;

  @Option(
      names = {"-j", "--jobs"},
      defaultValue = "1",
      description = "parallel jobs on each node (default: ${DEFAULT-VALUE})")
  private int jobs;

  @Option(names = "--no-roles", description = "create no roles; they must be there")
  private boolean noRoles;

  @Option(names = "--help", usageHelp = true, description = "show this text")
  private boolean help;

  private RestoreCommand() {}

  /** Restores it; ends with status 1 when that fails. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new RestoreCommand()).execute(arguments));
  }

  @Override
  public Integer call() {
    try {
      Map<Integer, NodeAddress> replaced = new TreeMap<>();
      for (Map.Entry<Integer, String> node : nodes.entrySet()) {
        replaced.put(node.getKey(), address(node.getValue()));
      }
      Manifest restored =
          new Restore(
                  replaced,
                  new Access(user, database, null),
                  new RestoreOptions(database, maintenanceDatabase, jobs, !noRoles))
              .from(directory);
      System.out.println(
          "restored the backup of "
              + restored.takenAt()
              + " to "
              + restored.nodes().size()
              + " nodes");
      return 0;
    } catch (BackupException failed) {
      System.err.println("abelian restore: error: " + failed.getMessage());
      return 1;
    }
  }

  private static NodeAddress address(String text) throws BackupException {
    try {
      return NodeAddress.parse(text);
    } catch (IllegalArgumentException notOne) {
      throw new BackupException("\"" + text + "\" is not HOST:PORT");
    }
  }
}
