package org.abelian.advisor.trace.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.AdvisorException;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.StatementFacts;

/** What a node says about texts, each asked for once. */
final class Analysis {
  /** Texts that are kept; more than an application has unless it writes values into them. */
  private static final int MOST_TEXTS = 20_000;

  private final Connection node;
  private final Map<String, Analysed> known =
      new LinkedHashMap<>(1024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Analysed> eldest) {
          return size() > MOST_TEXTS;
        }
      };

  Analysis(Connection node) {
    this.node = node;
  }

  /**
   * The facts about a text.
   *
   * @param statements one entry for each statement of the text; empty when the node refuses it
   * @param error why it refuses, or null
   */
  record Analysed(List<StatementFacts> statements, String error) {}

  /** What the node says; from memory, if it has been asked. */
  Analysed of(String text) {
    Analysed found = known.get(text);
    if (found == null) {
      found = ask(text);
      known.put(text, found);
    }
    return found;
  }

  private Analysed ask(String text) {
    try (PreparedStatement ask =
        node.prepareStatement("SELECT abelian.analyze(?::text, '{}'::oid[])::text")) {
      ask.setString(1, text);
      try (ResultSet answer = ask.executeQuery()) {
        answer.next();
        return new Analysed(FactsParser.parse(answer.getString(1)), null);
      }
    } catch (SQLException e) {
      String state = e.getSQLState() == null ? "" : e.getSQLState();
      if (state.startsWith("08") || state.startsWith("57P")) {
        throw new AdvisorException(
            "the node that analyses statements is lost: " + e.getMessage(), e);
      }
      if (state.equals("3F000") || state.equals("42883") && e.getMessage().contains("analyze")) {
        throw new AdvisorException(
            "the database that analyses statements lacks the extension abelian_cluster", e);
      }
      return new Analysed(List.of(), e.getMessage());
    }
  }
}
