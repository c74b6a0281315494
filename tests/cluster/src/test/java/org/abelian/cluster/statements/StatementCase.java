package org.abelian.cluster.statements;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A representative of a command tag: statements that run one after the other in a session.
 *
 * @param tag the command tag
 * @param title what about it the case shows
 * @param steps empty when no statement has that tag
 * @param cleanup what takes the case's objects away again
 */
record StatementCase(String tag, String title, List<Step> steps, List<Step> cleanup) {
  private static final String HEADING = "=== ";
  private static final String CLEANUP = "--- clean";
  private static final String NO_STATEMENT = "none";

  /**
   * One message of the client.
   *
   * @param routerOnly true for placement, which one PostgreSQL does not know
   * @param failure the SQLSTATE with which one PostgreSQL refuses it; null when it succeeds
   * @param copied lines of COPY data
   */
  record Step(String sql, boolean routerOnly, String failure, List<String> copied) {}

  /** The cases of a resource beside this class, in order. */
  static List<StatementCase> read(String resource) throws IOException {
    Reader reader = new Reader();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                StatementCase.class.getResourceAsStream("/statements/" + resource),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reader.take(line);
      }
    }
    reader.end();
    return reader.cases;
  }

  private static final class Reader {
    private final List<StatementCase> cases = new ArrayList<>();
    private String heading;
    private List<Step> steps;
    private List<Step> cleanup;
    private boolean cleaning;
    private final StringBuilder sql = new StringBuilder();
    private boolean routerOnly;
    private String failure;

    void take(String line) {
      if (line.startsWith(HEADING)) {
        end();
        heading = line.substring(HEADING.length());
        steps = new ArrayList<>();
        cleanup = new ArrayList<>();
        cleaning = false;
      } else if (line.equals(CLEANUP)) {
        cleaning = true;
      } else if (line.startsWith("> ")) {
        steps.get(steps.size() - 1).copied().add(line.substring(2));
      } else if (line.startsWith("! ")) {
        failure = line.substring(2);
      } else if (!line.isBlank() && !line.equals(NO_STATEMENT)) {
        statement(line);
      }
    }

    private void statement(String line) {
      boolean first = sql.isEmpty();
      routerOnly |= first && line.startsWith("@ ");
      sql.append(first ? "" : "\n").append(first && routerOnly ? line.substring(2) : line);
      if (line.endsWith(";")) {
        sql.setLength(sql.length() - 1);
        (cleaning ? cleanup : steps)
            .add(new Step(sql.toString(), routerOnly, failure, new ArrayList<>()));
        sql.setLength(0);
        routerOnly = false;
        failure = null;
      }
    }

    void end() {
      if (!sql.isEmpty()) {
        throw new IllegalStateException("no semicolon at the end of " + sql);
      }
      if (heading != null) {
        int colon = heading.indexOf(": ");
        cases.add(
            new StatementCase(
                heading.substring(0, colon), heading.substring(colon + 2), steps, cleanup));
      }
      heading = null;
    }
  }

  @Override
  public String toString() {
    return tag + ": " + title;
  }
}
