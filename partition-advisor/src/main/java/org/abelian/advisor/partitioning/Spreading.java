package org.abelian.advisor.partitioning;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * For graphs without edges, which METIS refuses: nothing is used together, so the heaviest vertex
 * goes to the lightest part each time.
 *
 * @param graph the file in METIS's format
 */
record Spreading(Path graph) implements Partitioner {
  @Override
  public Cut cut(int parts, int seed, Path scratch) {
    try {
      List<String> lines = Files.readAllLines(graph);
      long[] weights =
          lines.stream().skip(1).mapToLong(line -> Long.parseLong(line.strip())).toArray();
      int[] partOf = new int[weights.length];
      long[] heavy = new long[parts];
      IntStream.range(0, weights.length)
          .boxed()
          .sorted(Comparator.comparingLong(vertex -> -weights[vertex]))
          .forEach(
              vertex -> {
                int lightest = lightest(heavy);
                partOf[vertex] = lightest;
                heavy[lightest] += weights[vertex];
              });
      Path spread = scratch.resolve("graph-" + seed + ".spread");
      Files.write(spread, Arrays.stream(partOf).mapToObj(part -> "" + part).toList());
      return new Cut(seed, 0, spread);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int lightest(long[] heavy) {
    int found = 0;
    for (int part = 1; part < heavy.length; part++) {
      found = heavy[part] < heavy[found] ? part : found;
    }
    return found;
  }
}
