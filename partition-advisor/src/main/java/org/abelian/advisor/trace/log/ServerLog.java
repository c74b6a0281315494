package org.abelian.advisor.trace.log;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.Engine;

/**
 * The log files of a server, csvlog or jsonlog by the ends of their names; what a router records
 * has the form of jsonlog, and can be read with it. Entries come session by session, each in its
 * order; the engine sorts, and spills what does not fit into memory.
 *
 * @param files of one kind
 * @param database only sessions of this database; null for all
 */
record ServerLog(List<Path> files, String database) implements AutoCloseable {
  private static final int CSV_COLUMNS = 26;

  ServerLog {
    files = List.copyOf(files);
    for (Path file : files) {
      if (!Files.isReadable(file)) {
        throw new AdvisorException(file + " cannot be read");
      }
    }
    if (files.stream().map(ServerLog::isJson).distinct().count() != 1) {
      throw new AdvisorException("name log files, all of one kind: .csv, or .json and .jsonl");
    }
  }

  @Override
  public void close() {}

  /** Hands over every entry that is a statement or an error. */
  void each(Consumer<LogEntry> consumer) {
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT session_id, vxid, severity, message, detail, name FROM ("
              + (isJson(files.get(0)) ? json() : csv())
              + ") WHERE session_id IS NOT NULL AND (severity IN ('ERROR', 'FATAL') OR message"
              + " LIKE 'duration: %' OR message LIKE 'statement: %' OR message LIKE 'execute %')"
              + (database == null ? "" : " AND database_name = " + Engine.literal(database))
              + " ORDER BY session_id, line",
          row ->
              consumer.accept(
                  new LogEntry(
                      row.getString(1),
                      row.getString(2),
                      row.getString(3),
                      row.getString(4),
                      row.getString(5),
                      row.getString(6))));
    }
  }

  /** What people should know about the files. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (!isJson(files.get(0))) {
      return notes;
    }
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT count(*) FILTER (session_id IS NULL), count(*) FILTER (abelian LIKE"
              + " '%\"hashed\":true%') FROM ("
              + json()
              + ")",
          row -> {
            if (row.getLong(1) > 0) {
              notes.add(
                  row.getLong(1) + " lines of the log cannot be read: a server was stopped there");
            }
            if (row.getLong(2) > 0) {
              notes.add(
                  "values are hashed: ranges, lists, lookup tables and rules name no true values,"
                      + " and their order means nothing");
            }
          });
    }
    return notes;
  }

  /** The columns of csvlog; later versions add some at the end, earlier ones have fewer. */
  private String csv() {
    String columns =
        IntStream.range(0, CSV_COLUMNS)
            .mapToObj(i -> "'c" + i + "': 'VARCHAR'")
            .collect(Collectors.joining(", ", "{", "}"));
    return "SELECT c2 AS database_name, c5 AS session_id, CAST(c6 AS BIGINT) AS line, c9 AS vxid,"
        + " c11 AS severity, c13 AS message, c14 AS detail, CAST(NULL AS VARCHAR) AS name"
        + " FROM read_csv("
        + names()
        + ", auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"',"
        + " null_padding = true, strict_mode = false, parallel = false, max_line_size = 16777216,"
        + " columns = "
        + columns
        + ")";
  }

  private String json() {
    return "SELECT dbname AS database_name, session_id, line_num AS line, vxid, error_severity AS"
        + " severity, message, detail, abelian, json_extract_string(abelian,"
        + " '$.transaction_name') AS name FROM read_json("
        + names()
        + ", format = 'newline_delimited', ignore_errors = true, maximum_object_size = 67108864,"
        + " columns = {'dbname': 'VARCHAR', 'session_id': 'VARCHAR', 'line_num': 'BIGINT', 'vxid':"
        + " 'VARCHAR', 'error_severity': 'VARCHAR', 'message': 'VARCHAR', 'detail': 'VARCHAR',"
        + " 'abelian': 'VARCHAR'})";
  }

  private String names() {
    return files.stream().map(Engine::literal).collect(Collectors.joining(", ", "[", "]"));
  }

  static boolean isJson(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".json") || name.endsWith(".jsonl");
  }
}
