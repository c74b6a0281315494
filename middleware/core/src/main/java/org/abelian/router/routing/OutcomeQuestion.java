package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;

/**
 * SELECT abelian.transaction_outcome('token'), as the hint of 08007 writes it. Only the node that
 * gave the token knows the answer, so all are asked, and the one that does not say 'unknown' is
 * right.
 */
final class OutcomeQuestion {
  private static final int TEXT_ARRAY = 1009;
  private static final Pattern FORM =
      Pattern.compile(
          "\\s*select\\s+abelian\\.transaction_outcome\\s*\\(\\s*(?:'[^']*'|\\$1)\\s*\\)\\s*;?\\s*",
          Pattern.CASE_INSENSITIVE);

  private OutcomeQuestion() {}

  /** True when the statement asks what became of a transaction, and nothing else. */
  static boolean matches(String sql, StatementFacts facts) {
    Matcher matcher = FORM.matcher(sql);
    return facts.kind() == StatementKind.SELECT && facts.relations().isEmpty() && matcher.matches();
  }

  static Plan plan(String sql, StatementFacts facts, Catalog catalog) {
    List<Integer> parameters = new ArrayList<>(facts.parameters());
    parameters.add(TEXT_ARRAY);
    String combine =
        "SELECT coalesce(max(answer) FILTER (WHERE answer <> 'unknown'), 'unknown') AS"
            + " transaction_outcome FROM unnest($"
            + parameters.size()
            + "::text[]) AS answer";
    MergeFacts merge =
        new MergeFacts(
            MergeFacts.Mode.COMBINE, sql, combine, List.of(PgType.TEXT), parameters, false, null);
    return Plan.always(new Route.Scatter(catalog.nodes().stream().map(Node::id).toList(), merge));
  }
}
