package org.abelian.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Runs {@code scripts/node}, the only way by which tests touch PostgreSQL's files and processes.
 */
final class NodeScript {
  /** Bound on one call; initdb on a loaded machine takes a few seconds. */
  private static final long TIMEOUT_SECONDS = 120;

  private NodeScript() {}

  /** Runs one command and returns what it printed; fails with that output if it failed. */
  static String run(String... arguments) {
    return run(NodeVersions.DEFAULT, List.of(arguments));
  }

  /** The same for nodes of a version. */
  static String run(String version, List<String> arguments) {
    Path root = ProjectRoot.find();
    List<String> command = new ArrayList<>();
    command.add(root.resolve("scripts/node").toString());
    command.addAll(arguments);
    Path output = null;
    try {
      // A file, not a pipe: a server started by the script would keep a pipe open for its lifetime.
      output = Files.createTempFile("abelian-node", ".out");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(root.toFile())
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile());
      builder
          .environment()
          .put("ABELIAN_SCRAM_ITERATIONS", "1"); // Many tests do little but log in.
      if (!version.equals(NodeVersions.DEFAULT)) {
        builder.environment().put("ABELIAN_PG_MAJOR", version);
      }
      Process process = builder.start();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        String stuck = programs(process);
        process.destroyForcibly();
        throw new HarnessException(
            "%s did not end in %d s; it runs %s and has printed:\n%s"
                .formatted(command, TIMEOUT_SECONDS, stuck, Files.readString(output)));
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new HarnessException(command + " ended with " + process.exitValue() + ":\n" + text);
      }
      return text;
    } catch (IOException e) {
      throw new HarnessException("cannot run " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HarnessException("interrupted while running " + command, e);
    } finally {
      deleteQuietly(output);
    }
  }

  private static String programs(Process script) {
    return script
        .descendants()
        .map(program -> program.info().commandLine().orElse("?"))
        .collect(Collectors.joining("; "));
  }

  private static void deleteQuietly(Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // A stray file in the temporary folder harms nobody.
    }
  }
}
