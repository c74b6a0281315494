package org.abelian.advisor.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.abelian.advisor.explanation.ExplanationFiles;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.RoutedClass;
import org.abelian.advisor.validation.Validation;
import org.abelian.advisor.validation.ValidationPhase;

/** Writes the advice in all its forms. */
public final class ReportPhase {
  private ReportPhase() {}

  /**
   * The advice for programs.
   *
   * @param nodes how many nodes it is for
   * @param advised the placement to take
   * @param loadable the placement to take of those that can be loaded; null when there is none
   * @param transactions how many judged
   * @param judgements all placements, the best first
   * @param routing from which arguments of a transaction its nodes follow
   * @param notes what was left out
   */
  public record Json(
      int nodes,
      Candidate advised,
      Candidate loadable,
      long transactions,
      List<Judgement> judgements,
      List<RoutedClass> routing,
      List<String> notes) {}

  /**
   * Reads what the phases before have found, and writes advice.json, placement.sql, report.html and
   * summary.txt.
   *
   * @return the summary
   */
  public static String run(
      TraceFiles trace, ExplanationFiles explained, Path validated, OutputFolder output) {
    Advice advice =
        new Advice(
            trace.description(),
            explained.explanation(),
            JsonFile.read(ValidationPhase.file(validated), Validation.class),
            Lookups.read(explained.lookups()));
    String summary = Summary.text(advice);
    try {
      JsonFile.write(
          output.file("advice.json"),
          new Json(
              advice.explanation().nodes(),
              advice.chosen(),
              advice.loadable(),
              advice.validation().transactions(),
              advice.validation().judgements(),
              advice.validation().routing(),
              Summary.notes(advice)));
      Files.writeString(output.file("placement.sql"), new PlacementSql(advice).text());
      Files.writeString(output.file("report.html"), new HtmlReport(advice).text());
      Files.writeString(output.file("summary.txt"), summary);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    output.finish();
    return summary;
  }
}
