package org.abelian.workloads.types;

import java.util.List;
import org.abelian.workloads.types.Idiom.Ratio;

/** Votes for the options of one poll: a number in a jsonb object against one in a scored set. */
final class DictIncrement {
  private static final int OPTIONS = 20;

  private DictIncrement() {}

  static Idiom idiom() {
    Way jsonb =
        way(
            "votes_jsonb",
            "jsonb",
            "jsonb_set(votes, ARRAY['option ' || :o],"
                + " to_jsonb(coalesce((votes ->> ('option ' || :o))::bigint, 0) + 1))");
    Way type =
        way("votes_scored_set", "abelian.scored_set", "abelian.add(votes, 'option ' || :o, 1)");
    return new Idiom(
        "dict_increment",
        List.of(jsonb, type),
        List.of(new Ratio("dict_increment_over_jsonb", type.name(), jsonb.name())));
  }

  private static Way way(String name, String type, String after) {
    return new Way(
        name,
        List.of(
            "CREATE TABLE %s (id int PRIMARY KEY, votes %s NOT NULL)".formatted(name, type),
            "INSERT INTO %s VALUES (1, '{}')".formatted(name)),
        "\\set o random(1, %d)\nUPDATE %s SET votes = %s WHERE id = 1;\n"
            .formatted(OPTIONS, name, after),
        "SELECT coalesce(sum(n::numeric), 0) = %%d FROM %s, jsonb_each_text(votes::jsonb) v (o, n)"
            .formatted(name));
  }
}
