package org.abelian.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A router server in front of a cluster, in a process of its own on a port of its own. */
public final class RouterServer implements AutoCloseable {
  private static final String MAIN_CLASS = "org.abelian.server.Main";

  private final ServerProcess process;
  private final Path passwordFile;

  private RouterServer(ServerProcess process, Path passwordFile) {
    this.process = process;
    this.passwordFile = passwordFile;
  }

  /** Starts one that knows the cluster's registered addresses, with further options. */
  public static RouterServer start(LocalCluster cluster, String... options) {
    return start(Map.of(), cluster, options);
  }

  /** Starts one that takes the machine for one with so many processors. */
  public static RouterServer startWithProcessors(int processors, LocalCluster cluster) {
    String option = "-XX:ActiveProcessorCount=" + processors;
    return start(Map.of("JAVA_TOOL_OPTIONS", option), cluster);
  }

  private static RouterServer start(
      Map<String, String> environment, LocalCluster cluster, String... options) {
    Path passwordFile = passwordFile();
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--nodes", cluster.addresses()));
    arguments.addAll(List.of("--user", LocalNode.ROUTER));
    arguments.addAll(List.of("--password-file", passwordFile.toString()));
    return start(environment, arguments, passwordFile);
  }

  /**
   * Starts one with these options and {@code --listen} alone.
   *
   * @param environment variables added to those of this process
   */
  public static RouterServer start(Map<String, String> environment, List<String> options) {
    return start(environment, new ArrayList<>(options), null);
  }

  private static RouterServer start(
      Map<String, String> environment, List<String> arguments, Path passwordFile) {
    int port = Ports.reserve();
    arguments.addAll(List.of("--listen", "127.0.0.1:" + port));
    ServerProcess process = ServerProcess.start(MAIN_CLASS, port, environment, arguments);
    return new RouterServer(process, passwordFile);
  }

  private static Path passwordFile() {
    try {
      Path file =
          Files.createTempFile(
              "abelian-password",
              "",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, LocalNode.ROUTER + "\n");
      return file;
    } catch (IOException e) {
      throw new HarnessException("cannot write a password file", e);
    }
  }

  /** SIGKILL, as when the machine fails. */
  public void kill() {
    process.kill();
  }

  /** SIGTERM, and waits for its end. */
  public void stop() {
    process.stop();
  }

  /** SIGHUP, which makes it read its files again. */
  public void hangUp() {
    process.hangUp();
  }

  /** Starts again after {@link #kill}, on the same port, as another router. */
  public void start() {
    process.start();
  }

  public int port() {
    return process.port();
  }

  /** URL for the stock PostgreSQL driver, without user and password. */
  public String jdbcUrl() {
    return process.jdbcUrl();
  }

  /** Opens a connection with the stock PostgreSQL driver as the ordinary user. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(), LocalNode.USER, LocalNode.USER);
  }

  /** How many bytes its objects take after a garbage collection. */
  public long liveBytes() {
    return process.liveBytes();
  }

  /** How many threads it has. */
  public int threads() {
    return process.threads();
  }

  /** What the server has printed so far. */
  public String log() {
    return process.log();
  }

  @Override
  public void close() {
    process.close();
    try {
      if (passwordFile != null) {
        Files.deleteIfExists(passwordFile);
      }
    } catch (IOException e) {
      // A stray file in the temporary folder harms nobody.
    }
  }

  @Override
  public String toString() {
    return "router " + process;
  }
}
