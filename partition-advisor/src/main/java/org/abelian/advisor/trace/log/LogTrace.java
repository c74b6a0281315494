package org.abelian.advisor.trace.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.cluster.OneConnection;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;
import org.abelian.router.analysis.BodyFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.database.JdbcPool;

/**
 * The first phase for a server's log. The log is read twice: first to learn which columns WHERE
 * clauses name, then to write what was touched.
 */
public final class LogTrace {
  private static final int MOST_REASONS = 10;

  /** Classes whose statements are written down. */
  private static final int MOST_CLASSES = 200;

  private final LogTraceOptions options;
  private final Connection node;
  private final Schema schema;
  private final Analysis analysis;
  private final Touched touched;
  private final Retyping retyping;
  private final List<String> notes;
  private final Map<String, String> classNames = new LinkedHashMap<>();
  private final Map<String, String> classes = new TreeMap<>();
  private final Map<String, Long> refused = new LinkedHashMap<>();
  private final Map<String, Long> unknown = new TreeMap<>();
  private final CalledProcedures procedures = new CalledProcedures();
  private final ClassWeights weights = new ClassWeights();

  private LogTrace(LogTraceOptions options, Connection node, boolean scratch, List<String> notes)
      throws SQLException {
    this.options = options;
    this.node = node;
    this.notes = notes;
    schema = new Schema(node);
    analysis = new Analysis(node);
    touched = new Touched(schema);
    if (!scratch) {
      schema.readPresent(node);
    }
    retyping = scratch ? new Retyping(node, schema) : null;
  }

  /**
   * Reads logs and writes a trace.
   *
   * @return how many transactions it has
   */
  public static long run(LogTraceOptions options, OutputFolder output) {
    List<String> notes = new ArrayList<>();
    try {
      if (options.schema() == null) {
        try (JdbcPool pool = OneConnection.to(options.url());
            Connection node = pool.connection()) {
          LogTrace trace = new LogTrace(options, node, false, notes);
          if (!trace.schema.described().isEmpty()) {
            return trace.run(output);
          }
        }
      }
      try (ScratchDatabase scratch =
          ScratchDatabase.create(options.url(), definitions(options, notes), notes)) {
        return new LogTrace(options, scratch.connection(), true, notes).run(output);
      }
    } catch (SQLException e) {
      throw new AdvisorException(
          options.url() + ": " + e.getMessage() + " (SQLSTATE " + e.getSQLState() + ")", e);
    }
  }

  /** The schema that was given; else what the log itself creates. */
  private static Definitions definitions(LogTraceOptions options, List<String> notes) {
    if (options.schema() != null) {
      return Definitions.ofScript(options.schema());
    }
    notes.add("tables are as the log's own CREATE and ALTER statements make them");
    return Definitions.ofLog(new ServerLog(options.logs(), options.database()));
  }

  private long run(OutputFolder output) throws SQLException {
    if (schema.described().isEmpty()) {
      throw new AdvisorException(
          "neither the database that analyses statements nor the log has a CREATE TABLE: give the"
              + " schema by --schema, as pg_dump --schema-only writes it");
    }
    Map<String, Long> calls =
        options.calls() == null ? null : CallCounts.read(options.calls(), options.database());
    ServerLog log = new ServerLog(options.logs(), options.database());
    notes.addAll(log.notes());
    log.each(
        entry -> {
          LoggedStatement statement = LoggedStatement.of(entry);
          if (statement != null) {
            executed(entry, statement).forEach(one -> touched.nameAttributes(one.facts()));
          }
        });
    refused.clear();
    unknown.clear();
    try (JdbcPool copies = options.copy() == null ? null : OneConnection.to(options.copy());
        Connection copy = copies == null ? null : copies.connection();
        TraceWriter writer = new TraceWriter(output.path(), schema.described())) {
      Map<String, TraceTable> tables = new TreeMap<>();
      schema.described().forEach(table -> tables.put(table.id(), table));
      write(log, writer, copy == null ? null : new Replay(copy, tables));
      if (writer.count() == 0) {
        throw new AdvisorException(
            "no transaction of a table was found: was the log written with"
                + " log_min_duration_statement = 0, and is the database's name right?");
      }
      long touchedTables = writer.tables();
      long all = schema.described().size();
      if (touchedTables < all) {
        notes.add(all - touchedTables + " tables are not touched, and not placed");
      }
      addNotes();
      writer.finish(
          source(),
          classes,
          schema.present(),
          calls == null ? null : weighted(calls),
          procedures.all(),
          notes);
      output.finish();
      return writer.count();
    }
  }

  private void write(ServerLog log, TraceWriter writer, Replay replay) {
    Transactions transactions = new Transactions(statements -> add(writer, replay, statements));
    log.each(
        entry -> {
          LoggedStatement statement = LoggedStatement.of(entry);
          if (statement != null) {
            executed(entry, statement).forEach(one -> transactions.add(entry, one));
          } else if (!entry.severity().equals("LOG")) {
            transactions.fail(entry);
          }
        });
    transactions.end();
    if (transactions.dropped() > 0) {
      notes.add(
          transactions.dropped()
              + " transactions failed, or the log does not have their ends; they are left out");
    }
  }

  private List<Transactions.Executed> executed(LogEntry entry, LoggedStatement statement) {
    SqlText shape = SqlText.of(statement.text());
    String text = shape.text();
    List<String> parameters = shape.values().isEmpty() ? statement.parameters() : shape.values();
    Analysis.Analysed analysed = analysis.of(text);
    if (analysed.error() != null && !shape.values().isEmpty()) {
      analysed = analysis.of(statement.text());
      text = statement.text();
      parameters = statement.parameters();
    }
    if (analysed.error() != null) {
      refused.merge(analysed.error(), 1L, Long::sum);
    }
    List<Transactions.Executed> executed = new ArrayList<>();
    for (StatementFacts facts : analysed.statements()) {
      countUnknown(facts);
      executed.add(new Transactions.Executed(shape.text(), text, facts, parameters, entry.name()));
    }
    return executed;
  }

  private void countUnknown(StatementFacts facts) {
    if (facts.calls().body() != null && facts.calls().body().isKnown()) {
      return;
    }
    facts
        .calls()
        .functions()
        .forEach(function -> unknown.merge("function " + function, 1L, Long::sum));
    if (facts.kind() == StatementKind.UTILITY
        && (facts.command().utility() == UtilityKind.CALL
            || facts.command().utility() == UtilityKind.DO
            || facts.command().utility() == UtilityKind.EXECUTE
            || facts.command().utility() == UtilityKind.COPY_FROM)) {
      unknown.merge(facts.tag(), 1L, Long::sum);
    }
    if (facts.deferred()) {
      unknown.merge("statements after DDL in the same text", 1L, Long::sum);
    }
  }

  private void add(TraceWriter writer, Replay replay, List<Transactions.Executed> statements) {
    List<Access> accesses = new ArrayList<>();
    List<String> parameters = new ArrayList<>();
    BodyFacts call = statements.size() == 1 ? statements.get(0).facts().calls().body() : null;
    for (int step = 0; step < statements.size(); step++) {
      Transactions.Executed one = statements.get(step);
      parameters.addAll(
          call == null ? one.parameters() : Touched.arguments(call, one.parameters()));
      String types = retyping == null ? null : retyping.of(one);
      for (Access access : touched.of(one.facts(), one.parameters(), step, types)) {
        accesses.addAll(replay == null ? List.of(access) : replay.of(access));
      }
    }
    for (Transactions.Executed one : statements) {
      if (one.facts().calls().body() != null) {
        procedures.add(one.facts().calls().body());
      }
    }
    if (!accesses.isEmpty()) {
      String name = className(statements);
      weights.add(name, statements.stream().map(one -> CallCounts.key(one.shape())).toList());
      // Statements of a log run one by one; of calls it is not known whether they are independent.
      writer.add(name, parameters, false, accesses);
    }
  }

  private Map<String, Double> weighted(Map<String, Long> calls) {
    double missing = weights.missing(calls);
    if (missing == 1) {
      throw new AdvisorException(
          options.calls() + " has no statement of the log: is it of the same database?");
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "classes count as often as pg_stat_statements says; %.1f%% of its calls are of"
                + " statements that the log does not have",
            100 * missing));
    return weights.of(calls);
  }

  /**
   * A class is what clients give one name; else a set of texts, named by what they change, or read
   * if they change nothing.
   */
  private String className(List<Transactions.Executed> statements) {
    Set<String> texts = new LinkedHashSet<>();
    statements.forEach(one -> texts.add(SqlText.fingerprint(one.shape())));
    String given = statements.get(statements.size() - 1).name();
    if (given != null && !given.isBlank()) {
      if (classes.size() < MOST_CLASSES) {
        classes.putIfAbsent(given, shortened(String.join("; ", texts)));
      }
      return given;
    }
    if (statements.size() == 1 && statements.get(0).facts().calls().body() != null) {
      String signature = statements.get(0).facts().calls().body().signature();
      classes.putIfAbsent(signature, shortened(String.join("; ", texts)));
      return signature;
    }
    String print = String.join("; ", texts.stream().sorted().toList());
    return classNames.computeIfAbsent(
        print,
        fresh -> {
          String name = (classNames.size() + 1) + " " + verbs(statements);
          if (classes.size() < MOST_CLASSES) {
            classes.put(name, shortened(String.join("; ", texts)));
          }
          return name;
        });
  }

  private static String verbs(List<Transactions.Executed> statements) {
    Set<String> writes = new LinkedHashSet<>();
    Set<String> reads = new LinkedHashSet<>();
    for (Transactions.Executed one : statements) {
      if (one.facts().calls().body() != null) {
        writes.add("call " + one.facts().calls().body().signature());
      }
      for (RelationFacts relation : one.facts().relations()) {
        (relation.write() ? writes : reads)
            .add(
                (relation.write()
                        ? one.facts().kind().name().toLowerCase(Locale.ROOT) + " "
                        : "read ")
                    + relation.name());
      }
    }
    List<String> verbs = new ArrayList<>(writes.isEmpty() ? reads : writes);
    return String.join(", ", verbs.subList(0, Math.min(3, verbs.size())))
        + (verbs.size() > 3 ? ", ..." : "");
  }

  private void addNotes() {
    if (schema.placedByRules()) {
      notes.add("the present placement has more than hashes of single columns; it is not compared");
    }
    refused.entrySet().stream()
        .limit(MOST_REASONS)
        .forEach(
            entry ->
                notes.add(entry.getValue() + " statements were not understood: " + entry.getKey()));
    unknown.forEach(
        (what, count) -> notes.add(count + " times " + what + ": what it touches is not known"));
    notes.add(
        options.copy() == null
            ? "rows are known by what WHERE clauses compare with values, not by looking them up"
            : "rows were looked up in a copy, by the equalities of WHERE clauses");
    notes.add("a log knows neither which results a statement needs nor why a transaction aborts");
  }

  private String source() {
    return "log "
        + options.logs().get(0).getFileName()
        + (options.logs().size() > 1 ? " and " + (options.logs().size() - 1) + " more" : "");
  }

  private static String shortened(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() > 600 ? line.substring(0, 600) + "..." : line;
  }
}
