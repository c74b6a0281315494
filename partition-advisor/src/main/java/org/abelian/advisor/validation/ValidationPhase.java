package org.abelian.advisor.validation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.KeyPlaces;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.abelian.advisor.workload.Workload;

/** Judges all candidates by the transactions that were held out. */
public final class ValidationPhase {
  private static final int MOST_TRANSACTIONS = 100_000;

  private ValidationPhase() {}

  /** The file that the phase writes into its folder. */
  public static Path file(Path folder) {
    return folder.resolve("validation.json");
  }

  /**
   * Judges one more placement by the same transactions.
   *
   * @param explanation says which transactions were held out
   */
  public static Judgement judge(
      TraceFiles trace, Explanation explanation, Candidate candidate, Lookups lookups) {
    Part part = new Part(explanation.seed(), explanation.heldOut());
    Workload workload = Workload.read(trace, part, part.judging(), MOST_TRANSACTIONS);
    return new Judge(workload, candidate, lookups, explanation.nodes()).judge();
  }

  /**
   * Reads a trace and placements, and writes the comparison.
   *
   * @param tolerance how much more of the transactions may be distributed for a simpler placement
   * @param mostBalance the load balance to stay below, if that is possible
   */
  public static Validation run(
      TraceFiles trace,
      ExplanationFiles explained,
      double tolerance,
      double mostBalance,
      OutputFolder output) {
    Explanation explanation = explained.explanation();
    Lookups lookups = Lookups.read(explained.lookups());
    Part part = new Part(explanation.seed(), explanation.heldOut());
    Workload workload = Workload.read(trace, part, part.judging(), MOST_TRANSACTIONS);
    if (workload.size() == 0) {
      throw new AdvisorException("no transaction was held out: take a longer trace");
    }
    List<String> notes = new ArrayList<>();
    if (workload.total() > workload.size()) {
      notes.add(workload.size() + " of the " + workload.total() + " held-out transactions judge");
    }
    List<Judgement> judgements = new ArrayList<>();
    for (Candidate candidate : explanation.candidates()) {
      judgements.add(new Judge(workload, candidate, lookups, explanation.nodes()).judge());
    }
    judgements.sort(Comparator.comparingDouble(Judgement::distributed));
    String chosen =
        Choice.of(judgements, tolerance, mostBalance, workload.size(), all -> true).orElseThrow();
    Candidate candidate =
        explanation.candidates().stream()
            .filter(one -> one.name().equals(chosen))
            .findFirst()
            .orElseThrow();
    List<RoutedClass> routing =
        new Routing(
                workload,
                new Judge(workload, candidate, lookups, explanation.nodes()),
                new KeyPlaces(candidate, lookups, workload.tuples().tables(), explanation.nodes()))
            .all();
    Validation validation =
        new Validation(
            workload.size(),
            tolerance,
            mostBalance,
            chosen,
            Choice.of(judgements, tolerance, mostBalance, workload.size(), Judgement::loadable)
                .orElse(null),
            judgements,
            routing,
            notes);
    JsonFile.write(file(output.path()), validation);
    output.finish();
    return validation;
  }
}
