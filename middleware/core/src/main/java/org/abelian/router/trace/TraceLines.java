package org.abelian.router.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;

/**
 * Transactions as lines of JSON: the keys of PostgreSQL's jsonlog, and a key {@code abelian} with
 * what only a router knows. Not thread-safe.
 */
final class TraceLines {
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private static final String CUT = "...";

  private final JsonFactory json = new JsonFactory();
  private final ValueHash hash;
  private final TraceCounts counts;
  private long second = Long.MIN_VALUE;
  private String secondText;

  /**
   * @param hash null to give values as they are
   */
  TraceLines(ValueHash hash, TraceCounts counts) {
    this.hash = hash;
    this.counts = counts;
  }

  /** A statement as it is written. */
  private record Written(String text, List<String> parameters, List<Integer> cut) {}

  /**
   * The lines of a transaction, each with its end; null when a text cannot be freed of its values
   * with certainty.
   */
  byte[] of(TracedTransaction transaction) throws IOException {
    List<Written> written = new ArrayList<>();
    for (TracedStatement statement : transaction.statements()) {
      Written one = written(statement);
      if (one == null) {
        return null;
      }
      written.add(one);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator out = json.createGenerator(bytes)) {
      out.setRootValueSeparator(null);
      write(out, transaction, written);
    }
    return bytes.toByteArray();
  }

  private void write(JsonGenerator out, TracedTransaction transaction, List<Written> written)
      throws IOException {
    List<TracedStatement> statements = transaction.statements();
    long line = transaction.firstLine();
    long end = statements.get(statements.size() - 1).ended();
    if (transaction.isBlock()) {
      begin(out, transaction, line++, transaction.beganNanos(), "LOG", "statement: BEGIN");
      end(out);
    }
    for (int i = 0; i < statements.size(); i++) {
      TracedStatement statement = statements.get(i);
      begin(out, transaction, line++, statement.ended(), "LOG", message(statement, written.get(i)));
      boolean last =
          !transaction.isBlock() && transaction.isCommitted() && i == statements.size() - 1;
      statement(out, transaction, statement, written.get(i), last);
      end(out);
    }
    if (!transaction.isBlock() && transaction.isCommitted()) {
      return;
    }
    boolean ends = transaction.isBlock();
    String how = transaction.isCommitted() ? "statement: COMMIT" : "statement: ROLLBACK";
    begin(out, transaction, line, end, ends ? "LOG" : "ERROR", ends ? how : "rolled back");
    out.writeObjectFieldStart("abelian");
    outcome(out, transaction);
    out.writeEndObject();
    end(out);
  }

  private void begin(
      JsonGenerator out,
      TracedTransaction transaction,
      long line,
      long nanos,
      String severity,
      String message)
      throws IOException {
    TracedTransaction.Session session = transaction.session();
    out.writeStartObject();
    out.writeStringField("timestamp", timestamp(transaction.millis(nanos)));
    out.writeStringField("user", session.user());
    out.writeStringField("dbname", session.database());
    out.writeStringField("session_id", session.id());
    out.writeNumberField("line_num", line);
    out.writeStringField("vxid", session.id() + "/" + transaction.number());
    out.writeStringField("error_severity", severity);
    out.writeStringField("message", message);
    out.writeStringField("backend_type", "abelian router");
  }

  private static void end(JsonGenerator out) throws IOException {
    out.writeEndObject();
    out.writeRaw('\n');
  }

  private static String message(TracedStatement statement, Written written) {
    StringBuilder text = new StringBuilder(statement.sql().length() + 64).append("duration: ");
    long micros = Math.max(statement.nanos(), 0) / 1000;
    thousandths(text.append(micros / 1000), micros % 1000)
        .append(written.parameters().isEmpty() ? " ms  statement: " : " ms  execute <unnamed>: ")
        .append(written.text());
    return text.toString();
  }

  /** Appends a point and three digits. */
  private static StringBuilder thousandths(StringBuilder text, long number) {
    return text.append('.')
        .append((char) ('0' + number / 100))
        .append((char) ('0' + number / 10 % 10))
        .append((char) ('0' + number % 10));
  }

  /** Most lines are of the same second as those before them. */
  private String timestamp(long millis) {
    long wanted = Math.floorDiv(millis, 1000L);
    if (wanted != second) {
      second = wanted;
      secondText = TIMESTAMP.format(Instant.ofEpochSecond(second));
    }
    StringBuilder text = new StringBuilder(32).append(secondText);
    return thousandths(text, Math.floorMod(millis, 1000L)).append(" UTC").toString();
  }

  private void statement(
      JsonGenerator out,
      TracedTransaction transaction,
      TracedStatement statement,
      Written written,
      boolean last)
      throws IOException {
    if (!written.parameters().isEmpty()) {
      out.writeStringField("detail", detail(written));
    }
    out.writeObjectFieldStart("abelian");
    if (statement.rows() >= 0) {
      out.writeNumberField("rows", statement.rows());
    }
    if (transaction.name() != null) {
      out.writeStringField("transaction_name", transaction.name());
    }
    if (statement.facts().calls().procedure() != null) {
      out.writeStringField("procedure", statement.facts().calls().procedure().signature());
    }
    if (!written.cut().isEmpty()) {
      numbers(out, "cut_parameters", written.cut());
    }
    if (hash != null) {
      out.writeBooleanField("hashed", true);
    }
    nodes(out, "nodes", statement.nodes());
    tuples(out, statement, written);
    if (last) {
      outcome(out, transaction);
    }
    out.writeEndObject();
  }

  /** How the transaction ended, and where it was. */
  private static void outcome(JsonGenerator out, TracedTransaction transaction) throws IOException {
    out.writeStringField("outcome", transaction.isCommitted() ? "committed" : "rolled back");
    if (transaction.isCommitted()) {
      String name = transaction.commitClass();
      out.writeStringField("commit_class", name == null ? "single" : name);
    }
    TreeSet<Integer> all = new TreeSet<>();
    transaction
        .statements()
        .forEach(
            one -> {
              for (int node : one.nodes()) {
                all.add(node);
              }
            });
    nodes(out, "transaction_nodes", all.stream().mapToInt(Integer::intValue).toArray());
  }

  private static void nodes(JsonGenerator out, String name, int[] nodes) throws IOException {
    out.writeFieldName(name);
    out.writeArray(nodes, 0, nodes.length);
  }

  private static void numbers(JsonGenerator out, String name, List<Integer> numbers)
      throws IOException {
    nodes(out, name, numbers.stream().mapToInt(Integer::intValue).toArray());
  }

  private void tuples(JsonGenerator out, TracedStatement statement, Written written)
      throws IOException {
    out.writeArrayFieldStart("tuples");
    for (TouchedTuples.Tuple tuple :
        new TouchedTuples(statement, written.parameters(), this::form).all()) {
      out.writeStartObject();
      out.writeStringField("table", tuple.table());
      out.writeBooleanField("write", tuple.write());
      out.writeObjectFieldStart("key");
      for (var value : tuple.key().entrySet()) {
        out.writeStringField(value.getKey(), value.getValue());
      }
      out.writeEndObject();
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  /** As PostgreSQL tells them. */
  private static String detail(Written written) {
    StringBuilder text = new StringBuilder("parameters: ");
    for (int i = 0; i < written.parameters().size(); i++) {
      String value = written.parameters().get(i);
      text.append(i == 0 ? "$" : ", $").append(i + 1).append(" = ");
      if (value == null) {
        text.append("NULL");
      } else {
        text.append('\'').append(value.replace("'", "''")).append('\'');
      }
    }
    return text.toString();
  }

  private Written written(TracedStatement statement) {
    List<String> parameters = new ArrayList<>();
    List<Integer> cut = new ArrayList<>();
    for (int i = 0; i < statement.values().length; i++) {
      TracedStatement.Value value = statement.values()[i];
      if (value.isCut()) {
        cut.add(i + 1);
        counts.cutValue();
      }
      parameters.add(parameter(value, statement.type(i)));
    }
    if (hash == null) {
      return new Written(statement.sql(), parameters, cut);
    }
    if (statement.facts().kind() == StatementKind.UTILITY
        && statement.facts().command().utility() != UtilityKind.DECLARE
        && statement.facts().calls().procedure() == null) {
      return new Written(copy(statement), parameters, cut);
    }
    HashedText text = HashedText.of(statement.sql(), parameters.size(), hash);
    if (text == null) {
      return null;
    }
    parameters.addAll(text.values());
    return new Written(text.text(), parameters, cut);
  }

  /** COPY, whose literals parameters cannot stand for. */
  private static String copy(TracedStatement statement) {
    boolean from = statement.facts().command().utility() == UtilityKind.COPY_FROM;
    String table =
        statement.facts().relations().stream()
            .map(one -> quoted(one.schema()) + "." + quoted(one.name()))
            .findFirst()
            .orElse("(SELECT)");
    return "COPY " + table + (from ? " FROM STDIN" : " TO STDOUT");
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private String parameter(TracedStatement.Value value, int type) {
    if (value.isNull()) {
      return null;
    }
    String text = ParameterForm.of(value, type);
    if (value.isCut()) {
      // Of values that differ only beyond the cut, at least the lengths tell some apart.
      text = hash == null ? text + CUT : text + CUT + value.length();
    }
    return form(text, type);
  }

  private String form(String text, int type) {
    return hash == null ? text : hash.of(text, type);
  }
}
