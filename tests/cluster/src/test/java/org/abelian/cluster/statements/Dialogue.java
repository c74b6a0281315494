package org.abelian.cluster.statements;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;

/** A superuser's session with one PostgreSQL or with the router, statement by statement. */
final class Dialogue implements Closeable {
  /**
   * What was answered to one message.
   *
   * @param columns of its results, as the client is told
   * @param rows in the order in which they came if the statement asks for one, else sorted
   * @param tags of its statements
   * @param sqlState of the error; null when there was none
   */
  record Answer(
      List<String> columns,
      List<String> rows,
      List<String> tags,
      String sqlState,
      String error,
      String hint) {
    /** True when it was refused as what the router cannot do correctly. */
    boolean isRefusal() {
      return "0A000".equals(sqlState) && hint != null;
    }

    /** True when both answers are those of one PostgreSQL. */
    boolean agreesWith(Answer other) {
      return sqlState == null
          ? other.sqlState == null
              && columns.equals(other.columns)
              && rows.equals(other.rows)
              && tags.equals(other.tags)
          : sqlState.equals(other.sqlState);
    }
  }

  private static final String[] AFRESH = {
    "ROLLBACK", "DISCARD ALL", "SET search_path = w, public", "SET client_min_messages = error"
  };

  private final WireClient client;

  Dialogue(int port) throws IOException {
    client = WireClient.connect(port, LocalNode.SUPERUSER, LocalNode.SUPERUSER, LocalNode.DATABASE);
  }

  /** As if the session had just begun. */
  void beginAfresh() throws IOException {
    for (String sql : AFRESH) {
      client.query(sql).untilReady();
    }
  }

  Answer run(StatementCase.Step step) throws IOException {
    client.query(step.sql()).flush();
    List<String> columns = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    List<String> tags = new ArrayList<>();
    Message error = null;
    for (Message message = client.read(); message.type() != 'Z'; message = client.read()) {
      switch (message.type()) {
        case 'T' -> columns.addAll(message.columns());
        case 'D' -> rows.add(Arrays.toString(message.values()));
        case 'd' -> rows.add(new String(message.body(), java.nio.charset.StandardCharsets.UTF_8));
        case 'C' -> tags.add(message.text());
        case 'E' -> error = message;
        case 'G' -> sendCopy(step.copied());
        default -> {}
      }
    }
    if (!step.sql().contains("ORDER BY")) {
      rows.sort(null);
    }
    return error == null
        ? new Answer(columns, rows, tags, null, null, null)
        : new Answer(
            columns,
            rows,
            tags,
            error.sqlState(),
            error.fields().get('M'),
            error.fields().get('H'));
  }

  private void sendCopy(List<String> lines) throws IOException {
    for (String line : lines) {
      client.copyData(line + "\n");
    }
    client.copyDone().flush();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
