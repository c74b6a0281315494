package org.abelian.advisor.command;

import picocli.CommandLine.Option;

/** Options of the choice among placements. */
final class ChoiceSettings {
  @Option(
      names = "--tolerance",
      defaultValue = "0.01",
      description =
          "how much more of the transactions may be distributed for a simpler placement (default:"
              + " ${DEFAULT-VALUE})")
  double tolerance;

  @Option(
      names = "--most-load",
      defaultValue = "1.25",
      description =
          "greatest over mean load; beyond it a placement is taken only if none is below (default:"
              + " ${DEFAULT-VALUE})")
  double mostLoad;
}
