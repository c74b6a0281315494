package org.abelian.server.backup;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.router.pool.NodeAddress;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code abelian backup}. Options are those of pg_dump and pg_basebackup where they have them. */
@Command(
    name = "abelian backup",
    sortOptions = false,
    description = {
      "Takes a backup of a whole cluster at one moment, while it works on.",
      "Connections are made as by pg_dump: the environment variables and the password file of"
          + " libpq are read. pg_dump must be on the PATH."
    })
public final class BackupCommand implements Callable<Integer> {
  @Option(
      names = {"-D", "--directory"},
      required = true,
      paramLabel = "DIR",
      description = "where to write it; must be empty or not exist")
  private Path directory;

  @Option(
      names = {"-h", "--host"},
      description = "host of any node; its catalogue names the others (default: PGHOST)")
  private String host;

  @Option(
      names = {"-p", "--port"},
      description = "its port (default: PGPORT)")
  private Integer port;

  @Option(
      names = {"-U", "--username"},
      description =
          "a superuser, or a member of pg_read_all_data and abelian_router, on all nodes (default:"
              + " PGUSER)")
  private String user;

  @Option(
      names = {"-d", "--dbname"},
      description = "the cluster's database (default: PGDATABASE)")
  private String database;

  @Option(
      names = {"-Z", "--compress"},
      defaultValue = "6",
      description = "compression of the dumps, 0 to 9 (default: ${DEFAULT-VALUE})")
  private int compression;

  @Option(names = "--no-role-passwords", description = "leave out the verifiers of passwords")
  private boolean noPasswords;

  @Option(
      names = "--lock-wait-timeout",
      defaultValue = "60000",
      description = "milliseconds to wait for a table that is locked (default: ${DEFAULT-VALUE})")
  private int lockWait;

  @Option(
      names = "--gate-timeout",
      defaultValue = "60000",
      description =
          "milliseconds to look for a moment between commits over several nodes (default:"
              + " ${DEFAULT-VALUE})")
  private int gateTimeout;

  @Option(names = "--help", usageHelp = true, description = "show this text")
  private boolean help;

  private BackupCommand() {}

  /** Takes it; ends with status 1 when that fails. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new BackupCommand()).execute(arguments));
  }

  private static String environment(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  @Override
  public Integer call() {
    int usual = NodeAddress.DEFAULT_PORT;
    NodeAddress first =
        new NodeAddress(
            host != null ? host : environment("PGHOST", "localhost"),
            port != null ? port : Integer.parseInt(environment("PGPORT", "" + usual)));
    BackupOptions options = new BackupOptions(lockWait, gateTimeout, compression, !noPasswords);
    try {
      Manifest taken = new Backup(first, new Access(user, database, null), options).to(directory);
      System.out.println(
          "backup of "
              + taken.nodes().size()
              + " nodes at "
              + taken.takenAt()
              + " in "
              + directory);
      return 0;
    } catch (BackupException failed) {
      System.err.println("abelian backup: error: " + failed.getMessage());
      return 1;
    }
  }
}
