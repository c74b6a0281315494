package org.abelian.workloads.pgbench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.abelian.workloads.measure.Sample;

/** pgbench against one server. */
public final class Pgbench {
  private static final int THREADS = 2;
  private static final int GRACE_SECONDS = 60;

  private final Path bindir;
  private final Server server;

  /**
   * @param bindir folder of pgbench
   */
  public Pgbench(Path bindir, Server server) {
    this.bindir = bindir;
    this.server = server;
  }

  /**
   * Runs a script for some time, with synchronous_commit on.
   *
   * @param settings start-up options of the sessions, for instance {@code -c name=value}
   * @param tries of a transaction that fails with 40001 or 40P01
   */
  public PgbenchRun run(String script, int clients, int seconds, String settings, int tries)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("pgbench");
    try {
      Path file = Files.writeString(folder.resolve("script.sql"), script);
      Process process = start(folder, file, clients, seconds, settings, tries);
      PgbenchSummary summary = PgbenchSummary.parse(await(process, folder, seconds));
      PgbenchLog log = PgbenchLog.read(folder, "latency");
      Sample sample =
          new Sample(
              summary.perSecond(),
              log.percentileMillis(50),
              log.percentileMillis(99),
              summary.failed());
      return new PgbenchRun(sample, summary.processed(), summary.retries());
    } finally {
      delete(folder);
    }
  }

  private Process start(
      Path folder, Path script, int clients, int seconds, String settings, int tries)
      throws IOException {
    List<String> command =
        List.of(
            bindir.resolve("pgbench").toString(),
            "--no-vacuum",
            "--protocol=prepared",
            "--client=" + clients,
            "--jobs=" + Math.min(THREADS, clients),
            "--time=" + seconds,
            "--max-tries=" + tries,
            "--file=" + script,
            "--log",
            "--log-prefix=" + folder.resolve("latency"),
            "--host=" + server.host(),
            "--port=" + server.port(),
            "--username=" + server.user(),
            server.database());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile());
    builder.environment().put("PGPASSWORD", server.password());
    builder.environment().put("PGOPTIONS", "-c synchronous_commit=on " + settings);
    return builder.start();
  }

  private static String await(Process process, Path folder, int seconds)
      throws IOException, InterruptedException {
    try {
      boolean ended = process.waitFor(seconds + GRACE_SECONDS, TimeUnit.SECONDS);
      String output = Files.readString(folder.resolve("output"), StandardCharsets.UTF_8);
      if (!ended || process.exitValue() != 0) {
        throw new IOException(
            (ended ? "pgbench failed:\n" : "pgbench does not end:\n") + tail(output));
      }
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String tail(String output) {
    int max = 2000;
    return output.length() <= max ? output : output.substring(output.length() - max);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
