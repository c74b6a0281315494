package org.abelian.server.backup;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.router.pool.NodeAddress;

/**
 * Runs programs of PostgreSQL's, found on the PATH. Closing ends those that still run. Safe for
 * several threads.
 */
final class Program implements AutoCloseable {
  /** So many of its last lines are part of the error. */
  private static final int LINES_KEPT = 20;

  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private final Access access;

  Program(Access access) {
    this.access = access;
  }

  /**
   * Runs one to its end.
   *
   * @param node where it connects, and how it is called in messages
   * @param output gets what it writes to its standard output
   * @throws BackupException when it cannot be started or fails, with what it said
   */
  void run(String name, NodeAddress node, List<String> arguments, OutputStream output)
      throws BackupException, IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(name, "--no-password"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    access.tell(builder.environment(), node);
    Process process;
    try {
      process = builder.start();
    } catch (IOException missing) {
      throw new BackupException(
          "cannot start " + name + ": put PostgreSQL's programs on the PATH", missing);
    }
    running.add(process);
    try {
      process.getOutputStream().close();
      Deque<String> said = new ArrayDeque<>();
      Thread listener = new Thread(() -> listen(process, said), name);
      listener.setDaemon(true);
      listener.start();
      process.getInputStream().transferTo(output);
      int status = process.waitFor();
      listener.join();
      if (status != 0) {
        throw new BackupException(
            name + " failed for " + node + " (status " + status + ")\n" + String.join("\n", said));
      }
    } finally {
      running.remove(process);
      process.destroy();
    }
  }

  private static void listen(Process process, Deque<String> said) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
        if (said.size() > LINES_KEPT) {
          said.remove();
        }
      }
    } catch (IOException ended) {
      // It was ended: there is nothing more to hear.
    }
  }

  /** Ends those that run. */
  @Override
  public void close() {
    running.forEach(Process::destroy);
  }
}
