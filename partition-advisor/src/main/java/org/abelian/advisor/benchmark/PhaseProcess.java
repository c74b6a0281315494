package org.abelian.advisor.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.Main;

/** Runs one command of the advisor in a process of its own, and watches it. */
final class PhaseProcess {
  /** What a process has had resident at most, as Linux tells it. */
  private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

  private static final int LIMIT_MINUTES = 60;

  private PhaseProcess() {}

  /**
   * Runs it.
   *
   * @param log gets its output
   */
  static PhaseCost run(Path log, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(Arrays.asList(arguments));
    long begin = System.nanoTime();
    long peak = 0;
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      try {
        while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
          peak = Math.max(peak, resident(process.toHandle()));
          if (System.nanoTime() - begin > TimeUnit.MINUTES.toNanos(LIMIT_MINUTES)) {
            throw new AdvisorException(
                arguments[0] + " takes longer than " + LIMIT_MINUTES + " minutes");
          }
        }
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        throw new AdvisorException(
            arguments[0]
                + " ends with status "
                + process.exitValue()
                + ":\n"
                + Files.readString(log));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdvisorException("interrupted", e);
    }
    return new PhaseCost(arguments[0], (System.nanoTime() - begin) / 1e9, peak / 1024);
  }

  /** In kibibytes, of the process and its children. */
  private static long resident(ProcessHandle process) {
    return Stream.concat(Stream.of(process), process.descendants())
        .mapToLong(one -> peak(one.pid()))
        .sum();
  }

  private static long peak(long pid) {
    try {
      Matcher found = PEAK.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
      return found.find() ? Long.parseLong(found.group(1)) : 0;
    } catch (IOException ended) {
      return 0;
    }
  }
}
