package org.abelian.advisor.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.proposals.ProposalsPhase;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.trace.log.LogTrace;
import org.abelian.advisor.trace.log.LogTraceOptions;
import org.abelian.advisor.trace.log.LogWindow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./abelian advise watch}. Each round begins anew, so that nothing grows. */
@Command(
    name = "watch",
    sortOptions = false,
    description =
        "Follows a server's log, and proposes keys that should lie elsewhere, until it is"
            + " interrupted.")
final class WatchCommand implements Callable<Integer> {
  private static final int MEGA = 1 << 20;

  @Option(
      names = "--log",
      required = true,
      paramLabel = "FILE|DIR",
      description =
          "a csvlog (.csv), jsonlog (.json) or router's trace (.jsonl) that grows; of a folder, the"
              + " newest one")
  private Path log;

  @Option(
      names = {"-d", "--database"},
      description = "only the sessions of this database (default: all)")
  private String database;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "URL",
      description = "JDBC URL of a node of the cluster, which has the tables")
  private String url;

  @Option(
      names = "--window",
      defaultValue = "64",
      paramLabel = "MIB",
      description = "how much of the log's end counts, at most 1024 (default: ${DEFAULT-VALUE})")
  private int window;

  @Option(
      names = "--every",
      defaultValue = "60",
      paramLabel = "SECONDS",
      description = "how long to wait between two rounds (default: ${DEFAULT-VALUE})")
  private int every;

  @Option(
      names = "--rounds",
      defaultValue = "0",
      description = "how many rounds to make; 0 until it is interrupted (default: 0)")
  private int rounds;

  @Option(
      names = "--most-load",
      defaultValue = "1.25",
      description =
          "greatest over mean load that is no reason to move anything (default: ${DEFAULT-VALUE})")
  private double mostLoad;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "advice/proposals",
      paramLabel = "DIR",
      description = "the folder that each round replaces (default: ${DEFAULT-VALUE})")
  private Path output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (window < 1 || window > 1024 || every < 1 || rounds < 0) {
      throw new AdvisorException(
          "--window is from 1 to 1024, --every at least 1, --rounds at least 0");
    }
    String before = null;
    for (long round = 1; rounds == 0 || round <= rounds; round++) {
      if (round > 1) {
        TimeUnit.SECONDS.sleep(every);
      }
      String now = before;
      try {
        now = look();
      } catch (AdvisorException passing) {
        if (round == 1) {
          throw passing;
        }
        // The cluster may be back, and the log longer, in the next round.
        Progress.say(passing.getMessage());
      }
      if (!now.equals(before)) {
        System.out.print(now);
      }
      before = now;
    }
    return 0;
  }

  private String look() throws IOException {
    try (OutputFolder folder = OutputFolder.begin(output)) {
      Path end = LogWindow.copy(log, window * MEGA, folder.path());
      Path trace = folder.file("trace");
      try (OutputFolder traced = OutputFolder.begin(trace)) {
        LogTrace.run(new LogTraceOptions(List.of(end), database, url, null, null, null), traced);
      }
      Files.delete(end);
      Path catalog = Files.writeString(folder.file("catalog.json"), new Cluster(url).catalogText());
      ProposalsPhase.run(new TraceFiles(trace), catalog, mostLoad, folder);
    }
    return Files.readString(output.resolve("proposals.txt"));
  }
}
