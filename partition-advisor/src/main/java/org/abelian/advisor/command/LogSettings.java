package org.abelian.advisor.command;

import java.nio.file.Path;
import java.util.List;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.trace.log.LogTraceOptions;
import picocli.CommandLine.Option;

/** Options of a trace from a server's log. */
final class LogSettings {
  @Option(
      names = "--log",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "log files of a PostgreSQL server, csvlog (.csv) or jsonlog (.json), or of a router's"
              + " trace (.jsonl)")
  List<Path> logs = List.of();

  @Option(
      names = {"-d", "--database"},
      description = "only the sessions of this database (default: all)")
  String database;

  @Option(
      names = "--schema",
      paramLabel = "FILE",
      description = "the database's schema, as pg_dump --schema-only writes it")
  Path schema;

  @Option(
      names = "--analyze-on",
      paramLabel = "URL",
      description =
          "JDBC URL of a node's database; with --schema, of any database on a server"
              + " where a scratch database may be made (the launcher starts a node of its own)")
  String url;

  @Option(
      names = "--copy",
      paramLabel = "URL",
      description = "JDBC URL of a copy of the data, in which rows are looked up")
  String copy;

  @Option(
      names = "--calls",
      paramLabel = "FILE|URL",
      description =
          "pg_stat_statements, as a CSV file with a header line or as the JDBC URL of a database"
              + " that has it: a short log's classes count as often as their statements are called"
              + " there")
  String calls;

  LogTraceOptions options() {
    if (logs.isEmpty()) {
      throw new AdvisorException("name the server's log by --log");
    }
    if (url == null) {
      throw new AdvisorException("name a database that analyses statements by --analyze-on");
    }
    return new LogTraceOptions(logs, database, url, schema, copy, calls);
  }
}
