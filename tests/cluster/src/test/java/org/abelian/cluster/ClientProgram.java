package org.abelian.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalNode;

/** One of PostgreSQL's own client programs, run as a user would run it. */
public final class ClientProgram {
  private static final long TIMEOUT_SECONDS = 60;

  /**
   * What it left.
   *
   * @param output of both streams, in the order in which it was written
   */
  public record Result(int exit, String output) {}

  private final Process process;
  private final Path output;

  private ClientProgram(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts a program as the ordinary user against a port. */
  static ClientProgram start(int port, String input, String name, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(LocalNode.binDirectory().resolve(name).toString());
    command.addAll(List.of("-h", "127.0.0.1", "-p", "" + port, "-U", LocalNode.USER));
    command.addAll(List.of(arguments));
    return start(command, input, Map.of("PGPASSWORD", LocalNode.USER));
  }

  private static ClientProgram start(
      List<String> command, String input, Map<String, String> environment) throws IOException {
    Path given = Files.createTempFile("abelian-client", ".in");
    Path output = Files.createTempFile("abelian-client", ".out");
    given.toFile().deleteOnExit();
    output.toFile().deleteOnExit();
    Files.writeString(given, input);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(given.toFile())
            .redirectOutput(output.toFile());
    builder.environment().put("PGDATABASE", LocalNode.DATABASE);
    builder.environment().put("PGCONNECT_TIMEOUT", "20");
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().putAll(environment);
    return new ClientProgram(builder.start(), output);
  }

  /** Runs a statement in psql with what these variables of libpq say. */
  public static Result psql(Map<String, String> environment, String statement)
      throws IOException, InterruptedException {
    String psql = LocalNode.binDirectory().resolve("psql").toString();
    return start(List.of(psql, "-X", "-A", "-t", "-c", statement), "", environment).await();
  }

  /** Runs psql, without the user's own settings, to its end. */
  static Result psql(int port, String input, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-X"));
    all.addAll(List.of(arguments));
    return start(port, input, "psql", all.toArray(String[]::new)).await();
  }

  /** What Ctrl-C sends. */
  void interrupt() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", "" + process.pid()).inheritIO().start().waitFor();
  }

  /** Waits for its end. */
  public Result await() throws IOException, InterruptedException {
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(
          "the program did not end in " + TIMEOUT_SECONDS + " s:\n" + Files.readString(output));
    }
    return new Result(process.exitValue(), Files.readString(output));
  }
}
