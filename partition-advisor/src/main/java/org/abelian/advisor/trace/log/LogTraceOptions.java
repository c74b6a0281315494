package org.abelian.advisor.trace.log;

import java.nio.file.Path;
import java.util.List;

/**
 * What a trace is made from.
 *
 * @param logs csvlog or jsonlog files
 * @param database only its sessions; null for all
 * @param url of a database with the extension, by JDBC: it analyses statements
 * @param schema what pg_dump --schema-only wrote, loaded into a scratch database on that server;
 *     null when the database itself has the tables
 * @param copy URL of a copy of the data, in which partly named rows are looked up; null for none
 * @param calls a CSV file or the URL of a view pg_stat_statements, which says how often statements
 *     are executed; null when the log's own shares count
 */
public record LogTraceOptions(
    List<Path> logs, String database, String url, Path schema, String copy, String calls) {
  /** Copies the list. */
  public LogTraceOptions {
    logs = List.copyOf(logs);
  }
}
