package org.abelian.advisor.partitioning;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.advisor.AdvisorException;

/**
 * A program that cuts.
 *
 * @param name for people
 * @param remedy what to do when it cannot be started
 * @param limit seconds after which it is stopped
 */
record Program(String name, String remedy, int limit) {
  /**
   * Runs it.
   *
   * @param log gets its output
   * @return what its output says of the cut's weight
   */
  long run(List<String> command, Path log, Pattern weight) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      throw new AdvisorException(name + " cannot be started: " + remedy, e);
    }
    try {
      if (!process.waitFor(limit, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AdvisorException(
            name + " takes longer than " + limit + " s: sample fewer tuples");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new AdvisorException("interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new AdvisorException(
          name + " ends with status " + process.exitValue() + ":\n" + Files.readString(log));
    }
    Matcher found = weight.matcher(Files.readString(log));
    if (!found.find()) {
      throw new AdvisorException(name + " says no weight of its cut:\n" + Files.readString(log));
    }
    return Long.parseLong(found.group(1));
  }
}
