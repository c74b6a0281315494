package org.abelian.server.backup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.LocalNode;
import org.abelian.harness.ServerProcess;

/** {@code abelian backup} in a process of its own, to be stopped and killed. */
final class BackupProcess implements AutoCloseable {
  private final Process process;

  private BackupProcess(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param first any node of the cluster
   */
  static BackupProcess start(LocalNode first, Path folder, Path output) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.addAll(ServerProcess.SERVERS_LOGGER);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BackupCommand.class.getName(), "-D", folder.toString(), "-Z", "0"));
    command.addAll(List.of("-h", "127.0.0.1", "-p", "" + first.port()));
    command.addAll(List.of("-U", LocalNode.SUPERUSER, "-d", LocalNode.DATABASE));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.environment().put("PGPASSWORD", LocalNode.SUPERUSER);
    return new BackupProcess(builder.start());
  }

  /** SIGSTOP, SIGCONT or SIGKILL, by the name after SIG. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Its status; it ends within a minute. */
  int status() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
