package org.abelian.advisor.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.benchmark.AdvisorBench;
import org.abelian.advisor.benchmark.BenchedWorkload;
import org.abelian.advisor.benchmark.ResultText;
import org.abelian.advisor.benchmark.WorkloadResult;
import org.abelian.advisor.files.Folders;
import org.abelian.advisor.files.JsonFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./abelian bench advisor}. */
@Command(
    name = "bench",
    hidden = true,
    customSynopsis = "./abelian bench advisor [OPTION]...",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "The advisor on traces of five benchmarks, compared with placements by hand.")
final class BenchCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "some of tpcc, tpcw, auctionmark, epinions, retwis (default: all)")
  private List<String> only = List.of();

  @Option(
      names = "--share",
      defaultValue = "1",
      description = "of the usual transactions (default: ${DEFAULT-VALUE})")
  private double share;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "write the results there, too")
  private Path json;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "keep traces and what came of them there (default: they are removed)")
  private Path keep;

  @Override
  public Integer call() throws IOException {
    List<BenchedWorkload> workloads =
        BenchedWorkload.ALL.stream()
            .filter(one -> only.isEmpty() || only.contains(one.name()))
            .map(one -> one.withTransactions((int) (share * one.transactions())))
            .toList();
    if (workloads.isEmpty() || !(share > 0 && share <= 1)) {
      throw new AdvisorException("nothing to measure: see --only and --share");
    }
    Path folder = keep == null ? Files.createTempDirectory("abelian-bench") : keep;
    try {
      Map<String, WorkloadResult> results =
          new AdvisorBench(folder, seed, Progress::say).run(workloads);
      System.out.print(ResultText.of(results.values()));
      if (json != null) {
        Files.createDirectories(json.toAbsolutePath().getParent());
        JsonFile.write(json, result(results));
      }
    } finally {
      if (keep == null) {
        Folders.delete(folder);
      }
    }
    return 0;
  }

  /** As other benchmarks write it; a ratio is the greatest of all workloads. */
  private Map<String, Object> result(Map<String, WorkloadResult> results) {
    Map<String, Object> ratios = new LinkedHashMap<>();
    ratios.put("distributed_over_manual", most(results, WorkloadResult::distributedOverManual));
    ratios.put("time_over_budget", most(results, WorkloadResult::timeOverBudget));
    ratios.put("memory_over_budget", most(results, WorkloadResult::memoryOverBudget));
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("name", "advisor");
    result.put("parameters", Map.of("seed", seed, "share", share));
    result.put("workloads", results);
    result.put("ratios", ratios);
    return result;
  }

  private static double most(
      Map<String, WorkloadResult> results, ToDoubleFunction<WorkloadResult> ratio) {
    return results.values().stream().mapToDouble(ratio).max().orElseThrow();
  }
}
