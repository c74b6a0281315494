package org.abelian.advisor.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.census.CensusFiles;
import org.abelian.advisor.census.CensusPhase;
import org.abelian.advisor.cluster.Cluster;
import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.moves.MovesPhase;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./abelian advise moves}. */
@Command(
    name = "moves",
    sortOptions = false,
    description =
        "Plans, without making them, the moves of rows from a cluster's present placement to the"
            + " advised one.")
final class MovesCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "ADVICE", description = "the folder that `run` wrote")
  private Path advice;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "URL",
      description =
          "JDBC URL of a node or router of the cluster, with a user who may read the tables; all"
              + " nodes are read, by the addresses that the cluster knows them by")
  private String url;

  @Option(
      names = "--trace",
      paramLabel = "DIR",
      description = "the trace, if `run` was given one (default: the one in ADVICE)")
  private Path trace;

  @Override
  public Integer call() throws Exception {
    ExplanationFiles explained = new ExplanationFiles(advice.resolve("explanation"));
    Explanation explanation = explained.explanation();
    Validation validation =
        JsonFile.read(ValidationPhase.file(advice.resolve("validation")), Validation.class);
    if (validation.loadable() == null) {
      throw new AdvisorException("none of the placements can be loaded");
    }
    Candidate candidate =
        explanation.candidates().stream()
            .filter(one -> one.name().equals(validation.loadable()))
            .findFirst()
            .orElseThrow();
    if (candidate.kind() == Candidate.Kind.PRESENT) {
      System.out.println("The tables lie as they should: nothing moves.");
      return 0;
    }
    TraceDescription described =
        new TraceFiles(trace == null ? advice.resolve("trace") : trace).description();
    Path census = advice.resolve("census");
    try (OutputFolder folder = OutputFolder.begin(census)) {
      Progress.phase(
          "census", () -> CensusPhase.run(described, candidate, new Cluster(url), folder));
    }
    Path moves = advice.resolve("moves");
    try (OutputFolder folder = OutputFolder.begin(moves)) {
      MovesPhase.run(
          described,
          candidate,
          Lookups.read(explained.lookups()),
          explanation.nodes(),
          new CensusFiles(census),
          folder);
    }
    System.out.print(Files.readString(moves.resolve("moves.txt")));
    System.out.println("Written: " + moves);
    return 0;
  }
}
