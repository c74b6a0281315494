package org.abelian.parity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** How many statements of each file differ. */
final class Baseline {
  private static final String HEADER = "# file\tstatements\tdiffering\n";

  private record Count(int parts, int differing) {}

  private final Map<String, Count> counts = new TreeMap<>();

  private Baseline() {}

  static Baseline of(List<Judgement> judgements) {
    Baseline baseline = new Baseline();
    for (Judgement judgement : judgements) {
      baseline.counts.put(judgement.file(), new Count(judgement.parts(), judgement.differing()));
    }
    return baseline;
  }

  /** What a file says; nothing differs by a file that is not there. */
  static Baseline read(Path file) throws IOException {
    Baseline baseline = new Baseline();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        if (!line.startsWith("#")) {
          String[] fields = line.split("\t");
          baseline.counts.put(
              fields[0], new Count(Integer.parseInt(fields[1]), Integer.parseInt(fields[2])));
        }
      }
    }
    return baseline;
  }

  Set<String> files() {
    return counts.keySet();
  }

  /** The statements of a file. */
  int parts(String file) {
    return counts.containsKey(file) ? counts.get(file).parts() : 0;
  }

  /** Those that differ; none of a file that is not listed. */
  int differing(String file) {
    return counts.containsKey(file) ? counts.get(file).differing() : 0;
  }

  /** All files in one line. */
  String summary() {
    long equal = counts.values().stream().filter(count -> count.differing() == 0).count();
    int parts = counts.values().stream().mapToInt(Count::parts).sum();
    int differing = counts.values().stream().mapToInt(Count::differing).sum();
    return "%d of %d files and %d of %d statements as expected"
        .formatted(equal, counts.size(), parts - differing, parts);
  }

  void write(Path file) throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    counts.forEach(
        (name, count) ->
            text.append(name)
                .append('\t')
                .append(count.parts())
                .append('\t')
                .append(count.differing())
                .append('\n'));
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
