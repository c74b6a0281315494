package org.abelian.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Java program of the product in a process of its own, such as the router server, that can be
 * killed like a crashed machine. It runs on the class path of the test.
 */
public final class ServerProcess implements AutoCloseable {
  /** Arguments for the JVM: the logger that is shipped. Tests have another on their class path. */
  public static final List<String> SERVERS_LOGGER =
      List.of(
          "-Dslf4j.provider=org.apache.logging.slf4j.SLF4JServiceProvider",
          "-Dslf4j.internal.verbosity=WARN");

  /** How JVMs of tests compile and collect, as the build has it. */
  private static final List<String> OPTIONS_OF_TESTS =
      Arrays.stream(System.getProperty("test.jvm", "").split(" "))
          .filter(option -> !option.isEmpty())
          .toList();

  /** Bound on start and end; a JVM on a loaded machine needs a few seconds. */
  private static final long TIMEOUT_MS = 60_000;

  private static final long POLL_MS = 20;

  private final List<String> command;
  private final Map<String, String> environment;
  private final int port;
  private final Path log;
  private Process process;

  private ServerProcess(List<String> command, Map<String, String> environment, int port, Path log) {
    this.command = command;
    this.environment = environment;
    this.port = port;
    this.log = log;
  }

  /**
   * Starts a main class that listens on the port and returns when it accepts connections.
   *
   * @param environment variables added to those of this process
   */
  public static ServerProcess start(
      String mainClass, int port, Map<String, String> environment, List<String> arguments) {
    Resources.prepare();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.addAll(OPTIONS_OF_TESTS);
    command.addAll(SERVERS_LOGGER);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    try {
      Path log = Files.createTempFile("abelian-server", ".log");
      ServerProcess server = new ServerProcess(command, Map.copyOf(environment), port, log);
      Resources.opened(server);
      server.start();
      return server;
    } catch (IOException e) {
      throw new HarnessException("cannot start " + mainClass, e);
    }
  }

  /** Starts the program again after {@link #kill} or {@link #stop}, on the same port. */
  public synchronized void start() {
    if (isAlive()) {
      return;
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new HarnessException("cannot start " + command, e);
    }
    awaitPort();
  }

  private void awaitPort() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    while (System.nanoTime() < deadline) {
      if (!process.isAlive()) {
        throw new HarnessException("server ended with " + process.exitValue() + ":\n" + log());
      }
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        sleep();
      }
    }
    throw new HarnessException("nothing listens on port " + port + ":\n" + log());
  }

  private static void sleep() {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HarnessException("interrupted while waiting for a server", e);
    }
  }

  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** SIGKILL: nothing of the program runs on. */
  public synchronized void kill() {
    end(true);
  }

  /** SIGTERM, then SIGKILL if it does not end. */
  public synchronized void stop() {
    end(false);
  }

  /** Sends SIGHUP. */
  public synchronized void hangUp() {
    try {
      new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new HarnessException("cannot send a signal", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end(boolean forcibly) {
    if (process == null) {
      return;
    }
    if (forcibly) {
      process.destroyForcibly();
    } else {
      process.destroy();
    }
    try {
      if (!process.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  public int port() {
    return port;
  }

  /** URL for the stock PostgreSQL driver, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + LocalNode.DATABASE;
  }

  /** How many bytes its objects take after a garbage collection. */
  public long liveBytes() {
    // The tool `jcmd`, which runtimes without development tools have no program for.
    List<String> jcmd =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--module",
            "jdk.jcmd/sun.tools.jcmd.JCmd",
            Long.toString(process.pid()),
            "GC.class_histogram");
    try {
      Process question = new ProcessBuilder(jcmd).redirectErrorStream(true).start();
      String answer =
          new String(question.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      String[] total = answer.substring(answer.lastIndexOf('\n') + 1).split(" +");
      if (total.length != 3 || !total[0].equals("Total")) {
        throw new HarnessException("no histogram: " + answer);
      }
      return Long.parseLong(total[2]);
    } catch (IOException e) {
      throw new HarnessException("cannot ask process " + process.pid(), e);
    }
  }

  /** How many threads it has. */
  public int threads() {
    String[] tasks = Path.of("/proc", Long.toString(process.pid()), "task").toFile().list();
    if (tasks == null) {
      throw new HarnessException("process " + process.pid() + " is not there");
    }
    return tasks.length;
  }

  /** What the program has printed so far, over all its starts. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  @Override
  public void close() {
    stop();
    Resources.closed(this);
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      // A stray log in the temporary folder harms nobody.
    }
  }

  @Override
  public String toString() {
    return "server on port " + port;
  }
}
