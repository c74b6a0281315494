package org.abelian.advisor.trace.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The statements that make the tables of a workload.
 *
 * @param complete whether all of them must succeed that create tables; a log also has those that
 *     failed
 */
record Definitions(List<String> statements, boolean complete) {
  private static final int MOST = 20_000;

  /** Of tables and what they need. Nothing that reads tables or runs functions. */
  private static final Pattern DEFINES =
      Pattern.compile(
          "(create\\s+(unlogged\\s+)?(table|schema|type|domain|sequence)"
              + "|create\\s+(unique\\s+)?index|(alter|drop)\\s+(table|index|schema|type|domain))"
              + "\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern FROM_QUERY =
      Pattern.compile(
          "create\\b.*\\btable\\b.*\\bas\\s*\\(*\\s*(select|table|values|with|execute)\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern COMMENTS =
      Pattern.compile("^(\\s+|--[^\\n]*\\n|/\\*.*?\\*/)+", Pattern.DOTALL);

  Definitions {
    statements = List.copyOf(statements);
  }

  /** All statements of a script, as pg_dump --schema-only writes it. */
  static Definitions ofScript(Path file) {
    try {
      return new Definitions(SqlText.split(Files.readString(file)), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Those of a log that define tables, session by session. */
  static Definitions ofLog(ServerLog log) {
    List<String> found = new ArrayList<>();
    log.each(
        entry -> {
          LoggedStatement logged = LoggedStatement.of(entry);
          if (logged == null || found.size() >= MOST) {
            return;
          }
          for (String sql : SqlText.split(logged.text())) {
            String plain = COMMENTS.matcher(sql).replaceFirst("");
            if (DEFINES.matcher(plain).matches() && !FROM_QUERY.matcher(plain).matches()) {
              found.add(plain);
            }
          }
        });
    return new Definitions(found, false);
  }
}
