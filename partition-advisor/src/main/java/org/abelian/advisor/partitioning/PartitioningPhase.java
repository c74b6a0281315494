package org.abelian.advisor.partitioning;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.graph.GraphDescription;
import org.abelian.advisor.graph.GraphFiles;
import org.duckdb.DuckDBAppender;

/** Cuts a graph several times and keeps the best. */
public final class PartitioningPhase {
  /** Vertices of a part, below which small pieces would be single ones. */
  private static final long MERGED = 100;

  /** Cuts that are judged by the transactions they distribute, not by weight alone. */
  private static final int JUDGED = 3;

  private final GraphFiles graph;
  private final PartitioningOptions options;
  private final Engine engine;

  private PartitioningPhase(GraphFiles graph, PartitioningOptions options, Engine engine) {
    this.graph = graph;
    this.options = options;
    this.engine = engine;
  }

  /**
   * Reads a graph and writes where each tuple lies.
   *
   * @param progress told of each try
   */
  public static PartitioningDescription run(
      GraphFiles graph,
      PartitioningOptions options,
      OutputFolder output,
      Consumer<String> progress) {
    try (Engine engine = Engine.open()) {
      return new PartitioningPhase(graph, options, engine).run(output, progress);
    }
  }

  private PartitioningDescription run(OutputFolder output, Consumer<String> progress) {
    GraphDescription made = graph.description();
    engine.run("CREATE TABLE pin AS SELECT * FROM " + Engine.parquet(graph.pins()));
    List<PartitioningDescription.Try> tries = new ArrayList<>();
    PartitioningDescription.Try best = null;
    for (Partitioner.Cut cut : lightest(output.path(), progress)) {
      PartitioningDescription.Try found = judge(cut);
      tries.add(found);
      if (best == null || found.distributed() < best.distributed()) {
        best = found;
        engine.run("CREATE OR REPLACE TABLE kept AS SELECT * FROM place");
      }
      progress.accept(
          String.format(
              "seed %d cuts %d: %.2f%% of the graph's transactions distributed",
              cut.seed(), cut.weight(), 100 * found.distributed()));
    }
    PartitioningFiles files = new PartitioningFiles(output.path());
    engine.writeParquet(
        "SELECT table_name, identity, partition, accesses FROM "
            + Engine.parquet(graph.nodes())
            + " JOIN kept USING (node) ORDER BY table_name, identity",
        files.tuples());
    PartitioningDescription description =
        new PartitioningDescription(
            options.parts(), best.seed(), tries, made.seed(), made.heldOut());
    JsonFile.write(files.descriptionFile(), description);
    removeScratch(output.path());
    output.finish();
    return description;
  }

  /** The cuts with the least weight, of all tries. Two programs run at a time. */
  private List<Partitioner.Cut> lightest(Path scratch, Consumer<String> progress) {
    if (graph.description().edges() == 0) {
      progress.accept("no two tuples are used together: nothing is cut");
      return List.of(new Spreading(graph.graph()).cut(options.parts(), options.seed(), scratch));
    }
    boolean metis = options.python() == null;
    Partitioner direct =
        metis
            ? new Metis(graph.graph(), options.imbalance(), options.limit())
            : new Hypergraph(
                options.python(), graph.hypergraph(), options.imbalance(), options.limit());
    Partitioner merging = new Merging(direct, graph.graph(), options.imbalance());
    boolean enough = metis && graph.description().vertices() > MERGED * options.parts();
    // Mt-KaHyPar's deterministic preset gives the same for all seeds.
    int starts = metis ? options.starts() : 1;
    progress.accept("cutting the " + (metis ? "graph " : "hypergraph ") + starts + " times");
    ExecutorService pool =
        Executors.newFixedThreadPool(
            metis ? Math.min(2, Runtime.getRuntime().availableProcessors()) : 1);
    try {
      List<Future<Partitioner.Cut>> running = new ArrayList<>();
      for (int i = 0; i < starts; i++) {
        int seed = options.seed() + i;
        Partitioner partitioner =
            i % 3 == 2 && enough && options.parts() <= Merging.MOST_PARTS ? merging : direct;
        running.add(pool.submit(() -> partitioner.cut(options.parts(), seed, scratch)));
      }
      List<Partitioner.Cut> cuts = new ArrayList<>();
      for (Future<Partitioner.Cut> one : running) {
        cuts.add(one.get());
      }
      cuts.sort(
          Comparator.comparingLong(Partitioner.Cut::weight)
              .thenComparingInt(Partitioner.Cut::seed));
      return cuts.subList(0, Math.min(JUDGED, cuts.size()));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdvisorException("interrupted", e);
    } finally {
      pool.shutdownNow();
    }
  }

  /**
   * From vertices to nodes. A node whose vertices lie apart is copied everywhere if more
   * transactions read it away from where most use it than write it; else it lies there.
   */
  private PartitioningDescription.Try judge(Partitioner.Cut cut) {
    load(cut);
    engine.run(
        "CREATE OR REPLACE TABLE place AS SELECT node, CASE WHEN away > writes THEN "
            + PartitioningFiles.REPLICATED
            + " ELSE home END AS partition FROM (SELECT node, arg_max(part, uses * 1e6 - part) AS"
            + " home, sum(uses) - max(uses) AS away, sum(writes) AS writes FROM (SELECT node, part,"
            + " count(*) AS uses, count(*) FILTER (writes AND NOT soft) + 0.1 * count(*) FILTER"
            + " (soft) AS writes FROM pin JOIN cut USING (vertex) GROUP BY node, part) GROUP BY"
            + " node)");
    double[] found = new double[2];
    engine.each(
        "SELECT sum(CASE WHEN parts > 1 OR everywhere THEN share ELSE 0 END) / sum(share) FROM"
            + " (SELECT any_value(share) AS share, count(DISTINCT nullif(partition, -1)) AS parts,"
            + " bool_or(partition = -1 AND writes) AS everywhere FROM pin JOIN place USING (node)"
            + " GROUP BY tx)",
        row -> found[0] = row.getDouble(1));
    engine.each(
        "SELECT avg(CASE WHEN partition = -1 THEN 1 ELSE 0 END) FROM place",
        row -> found[1] = row.getDouble(1));
    return new PartitioningDescription.Try(cut.seed(), cut.weight(), found[0], found[1]);
  }

  /** The part of vertex n stands in line n. */
  private void load(Partitioner.Cut cut) {
    engine.run("CREATE OR REPLACE TABLE cut (vertex BIGINT, part INTEGER)");
    try (BufferedReader lines = Files.newBufferedReader(cut.partOf());
        DuckDBAppender rows = engine.connection().createAppender("main", "cut")) {
      long vertex = 1;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        rows.beginRow();
        rows.append(vertex++);
        rows.append(Integer.parseInt(line.trim()));
        rows.endRow();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new AdvisorException("the cut cannot be read: " + e.getMessage(), e);
    }
  }

  private static void removeScratch(Path folder) {
    try (var files = Files.list(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith("graph-") || name.startsWith("log-")) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
