package org.abelian.advisor.partitioning;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Mt-KaHyPar (Gottesbüren, Heuer, Maas, Sanders and others), by its Python module. It cuts the
 * hypergraph, in which a transaction is one net however many parts it lies in. It is told to be
 * deterministic, and then gives the same for all seeds.
 *
 * @param python the interpreter that has the module
 * @param hypergraph the file in hMETIS's format
 * @param imbalance how much heavier than the mean a part may be, in thousandths
 * @param limit seconds after which it is stopped
 */
record Hypergraph(String python, Path hypergraph, int imbalance, int limit) implements Partitioner {
  private static final String SCRIPT = "hypergraph.py";
  private static final Pattern WEIGHT = Pattern.compile("Cut: (\\d+)");

  @Override
  public Cut cut(int parts, int seed, Path scratch) {
    Path target = scratch.resolve("graph-" + seed + ".hyper");
    Path script = scratch.resolve("graph-" + seed + ".py");
    try (InputStream source = Hypergraph.class.getResourceAsStream(SCRIPT)) {
      Files.copy(source, script, StandardCopyOption.REPLACE_EXISTING);
      long weight =
          new Program("Mt-KaHyPar", "run ./abelian advise --hypergraph, which installs it", limit)
              .run(
                  List.of(
                      python,
                      script.toString(),
                      hypergraph.toAbsolutePath().toString(),
                      "" + parts,
                      "" + imbalance / 1000.0,
                      target.toString()),
                  scratch.resolve("log-" + seed),
                  WEIGHT);
      return new Cut(seed, weight, target);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
