package org.abelian.advisor.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.abelian.advisor.validation.Choice;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.Validation;

/** What would make another placement the advised one: found by choosing again. */
final class Verdict {
  /** A greater tolerance would hardly be anyone's. */
  private static final double MOST_TOLERANCE = 0.3;

  private Verdict() {}

  /** One line for each placement that one other option would make the advised one. */
  static List<String> changes(Validation validation) {
    List<String> lines = new ArrayList<>();
    for (Judgement other : validation.judgements()) {
      if (!other.name().equals(validation.chosen())) {
        String option = option(validation, other);
        if (option != null) {
          lines.add(
              other.name()
                  + " ("
                  + Percent.of(other.distributed())
                  + " distributed, load "
                  + Percent.ratio(other.loadBalance())
                  + ") would be advised with "
                  + option);
        }
      }
    }
    return lines;
  }

  private static String option(Validation validation, Judgement other) {
    double load = Math.ceil(other.loadBalance() * 100) / 100;
    if (other.loadBalance() > validation.mostBalance()
        && isChosen(validation, other, validation.tolerance(), load)) {
      return String.format(Locale.ROOT, "--most-load %.2f", load);
    }
    for (Judgement best : validation.judgements()) {
      double more = other.distributed() - best.distributed();
      double tolerance = Math.ceil(more * 1000) / 1000;
      if (more >= 0
          && tolerance <= MOST_TOLERANCE
          && isChosen(validation, other, tolerance, validation.mostBalance())) {
        return String.format(Locale.ROOT, "--tolerance %.3f", tolerance);
      }
    }
    return null;
  }

  private static boolean isChosen(
      Validation validation, Judgement other, double tolerance, double mostLoad) {
    return Choice.of(
            validation.judgements(), tolerance, mostLoad, validation.transactions(), all -> true)
        .filter(other.name()::equals)
        .isPresent();
  }
}
