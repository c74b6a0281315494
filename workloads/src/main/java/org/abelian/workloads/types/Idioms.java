package org.abelian.workloads.types;

import java.util.ArrayList;
import java.util.List;

/** All idioms. */
final class Idioms {
  /** A table that is ranked has so many times as many rows as one in which nobody contends. */
  private static final int ROWS_TO_RANK = 10;

  private Idioms() {}

  /**
   * Those that were asked for.
   *
   * @throws IllegalArgumentException if there is none with one of the names
   */
  static List<Idiom> of(TypesOptions options) {
    List<Idiom> all =
        List.of(
            ConditionalDecrement.contended(),
            ConditionalDecrement.uncontended(options.rows()),
            BoundedTransfer.idiom(),
            SetAdd.idiom(),
            SetAdd.growing(),
            DictIncrement.idiom(),
            Leaderboard.idiom(),
            RateLimit.idiom(),
            Seats.idiom(),
            TopTen.idiom(ROWS_TO_RANK * options.rows()));
    if (options.idioms().isEmpty()) {
      return all;
    }
    List<Idiom> chosen = new ArrayList<>();
    for (String name : options.idioms()) {
      chosen.add(
          all.stream()
              .filter(idiom -> idiom.name().equals(name))
              .findAny()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "no idiom %s; there are: %s"
                              .formatted(name, String.join(", ", names(all))))));
    }
    return chosen;
  }

  private static List<String> names(List<Idiom> idioms) {
    return idioms.stream().map(Idiom::name).toList();
  }
}
