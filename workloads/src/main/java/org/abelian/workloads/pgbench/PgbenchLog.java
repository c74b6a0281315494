package org.abelian.workloads.pgbench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.abelian.workloads.measure.Statistics;

/**
 * Latencies from pgbench's log of transactions: {@code client number micros script epoch micros}.
 */
final class PgbenchLog {
  private static final int LATENCY = 2;

  private final long[] sortedMicros;

  private PgbenchLog(long[] sortedMicros) {
    this.sortedMicros = sortedMicros;
  }

  /** Reads the logs of all threads of a run, which begin with one prefix in a folder. */
  static PgbenchLog read(Path folder, String prefix) throws IOException {
    List<Path> files;
    try (Stream<Path> list = Files.list(folder)) {
      files = list.filter(file -> file.getFileName().toString().startsWith(prefix + ".")).toList();
    }
    Stream.Builder<long[]> parts = Stream.builder();
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file, StandardCharsets.US_ASCII)) {
        parts.add(latencies(lines));
      }
    }
    return new PgbenchLog(parts.build().flatMapToLong(Arrays::stream).sorted().toArray());
  }

  /** Latencies in microseconds of transactions that committed; failed ones carry a word instead. */
  static long[] latencies(Stream<String> lines) {
    return lines
        .map(line -> line.split(" ")[LATENCY])
        .filter(word -> Character.isDigit(word.charAt(0)))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /** Latency in milliseconds at a percentile; 0 when nothing committed. */
  double percentileMillis(double percent) {
    return sortedMicros.length == 0 ? 0 : Statistics.percentile(sortedMicros, percent) / 1000;
  }
}
