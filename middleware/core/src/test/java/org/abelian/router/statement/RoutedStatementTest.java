package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.StatementRouter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutedStatementTest {
  private static RoutedStatement routed(String facts) {
    List<StatementFacts> parsed = FactsParser.parse("[" + facts + "]");
    return new RoutedStatement(
        new StatementRouter() {
          @Override
          public Route route(BoundValues values) {
            return new Route.OneNode(1);
          }

          @Override
          public StatementFacts facts() {
            return parsed.get(0);
          }

          @Override
          public Catalog catalog() {
            return null;
          }
        });
  }

  /** Else a group that meets a deadlock would run again, and with it what has been committed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "call| {\"ends\": true}| true",
        "do| {\"ends\": true}| true",
        "call| {\"unseen\": [\"EXECUTE\"]}| true",
        "call| null| true",
        "call| {\"ends\": false}| false",
        "do| {\"unseen\": [\"EXECUTE\"]}| false",
        "do| null| false"
      })
  void aBodyThatMayCommitLasts(String command, String body, boolean lasts) {
    RoutedStatement statement =
        routed("{\"kind\": \"utility\", \"utility\": \"" + command + "\", \"body\": " + body + "}");
    assertEquals(lasts, statement.lasts());
  }
}
