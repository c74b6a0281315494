package org.abelian.advisor.partitioning;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.advisor.AdvisorException;

/**
 * METIS (Karypis and Kumar), by its program gpmetis.
 *
 * @param graph the file in METIS's format
 * @param imbalance how much heavier than the mean a part may be, in thousandths
 * @param limit seconds after which it is stopped
 */
record Metis(Path graph, int imbalance, int limit) implements Partitioner {
  private static final String PROGRAM = "gpmetis";
  private static final Pattern WEIGHT = Pattern.compile("Edgecut: (\\d+)");

  @Override
  public Cut cut(int parts, int seed, Path scratch) {
    // It writes its answer beside its input.
    Path input = scratch.resolve("graph-" + seed);
    try {
      Files.deleteIfExists(input);
      Files.createSymbolicLink(input, graph.toAbsolutePath());
      Path log = scratch.resolve("log-" + seed);
      run(
          List.of(
              PROGRAM,
              "-seed=" + seed,
              "-ufactor=" + imbalance,
              "-ncuts=3",
              // Few clusters that are almost separate, as tenants are, mislead both schemes often,
              // but
              // seldom both: every other seed tries the other one.
              "-ptype=" + (seed % 2 == 0 ? "rb" : "kway"),
              input.toString(),
              "" + parts),
          log);
      return new Cut(seed, weight(log), Path.of(input + ".part." + parts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long weight(Path log) throws IOException {
    Matcher found = WEIGHT.matcher(Files.readString(log));
    if (!found.find()) {
      throw new AdvisorException(PROGRAM + " says no edge cut:\n" + Files.readString(log));
    }
    return Long.parseLong(found.group(1));
  }

  private void run(List<String> command, Path log) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      throw new AdvisorException(
          PROGRAM + " cannot be started: install the Debian package metis, or run scripts/setup",
          e);
    }
    try {
      if (!process.waitFor(limit, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AdvisorException(
            PROGRAM + " takes longer than " + limit + " s: sample fewer tuples");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new AdvisorException("interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new AdvisorException(
          PROGRAM + " ends with status " + process.exitValue() + ":\n" + Files.readString(log));
    }
  }
}
