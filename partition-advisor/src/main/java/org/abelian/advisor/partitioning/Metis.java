package org.abelian.advisor.partitioning;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

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
      long weight =
          new Program(PROGRAM, "install the Debian package metis, or run scripts/setup", limit)
              .run(
                  List.of(
                      PROGRAM,
                      "-seed=" + seed,
                      "-ufactor=" + imbalance,
                      "-ncuts=3",
                      // Few clusters that are almost separate, as tenants are, mislead both schemes
                      // often,
                      // but
                      // seldom both: every other seed tries the other one.
                      "-ptype=" + (seed % 2 == 0 ? "rb" : "kway"),
                      input.toString(),
                      "" + parts),
                  log,
                  WEIGHT);
      return new Cut(seed, weight, Path.of(input + ".part." + parts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
