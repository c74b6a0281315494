package org.abelian.advisor.trace;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.duckdb.DuckDBAppender;

/** Writes a trace. Transactions are kept in the engine, which spills, until {@link #finish}. */
public final class TraceWriter implements AutoCloseable {
  /** Between the members of a list while it is one text. */
  private static final char SEPARATOR = '\u001f';

  /** Stands for NULL in such a text. */
  private static final char NULL = '\u001e';

  private final TraceFiles files;
  private final Map<String, TraceTable> tables = new HashMap<>();
  private final Engine engine = Engine.open();
  private final DuckDBAppender transactions;
  private final DuckDBAppender accesses;
  private final Set<String> touched = new HashSet<>();
  private long count;

  /** Begins a trace in an existing folder. */
  public TraceWriter(Path folder, Collection<TraceTable> tables) {
    this.files = new TraceFiles(folder);
    tables.forEach(table -> this.tables.put(table.id(), table));
    engine.run(
        "CREATE TABLE transactions (tx BIGINT, class VARCHAR, parameters VARCHAR, one_shot"
            + " BOOLEAN)",
        "CREATE TABLE accesses (tx BIGINT, step INTEGER, table_name VARCHAR, key VARCHAR,"
            + " attributes VARCHAR, bound BIGINT, write BOOLEAN, commutes BOOLEAN, retyped VARCHAR,"
            + " depends_on VARCHAR, decides BOOLEAN)");
    try {
      transactions = engine.connection().createAppender("main", "transactions");
      accesses = engine.connection().createAppender("main", "accesses");
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /**
   * Adds a transaction.
   *
   * @param name of its class
   * @param parameters of its call, or of its statements one after the other; members may be null
   * @param oneShot whether it is one call, all of whose statements are known before it begins
   */
  public void add(String name, List<String> parameters, boolean oneShot, List<Access> touched) {
    long tx = count++;
    try {
      transactions.beginRow();
      transactions.append(tx);
      transactions.append(name);
      transactions.append(parameters.isEmpty() ? null : joined(parameters));
      transactions.append(oneShot);
      transactions.endRow();
      for (Access access : touched) {
        add(tx, access);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private void add(long tx, Access access) throws SQLException {
    TraceTable table = tables.get(access.table());
    touched.add(access.table());
    accesses.beginRow();
    accesses.append(tx);
    accesses.append(access.step());
    accesses.append(access.table());
    accesses.append(key(table, access.values()));
    accesses.append(attributes(table, access.values()));
    accesses.append(bound(table, access.bound()));
    accesses.append(access.write());
    accesses.append(access.commutes());
    accesses.append(access.retyped());
    accesses.append(
        access.dependsOn() == null
            ? null
            : access.dependsOn().stream().map(String::valueOf).collect(Collectors.joining(",")));
    accesses.append(access.decides());
    accesses.endRow();
  }

  /** The number of transactions so far. */
  public long count() {
    return count;
  }

  /** The number of tables that were touched so far. */
  public int tables() {
    return touched.size();
  }

  /** Writes the files of a trace that is no cluster's. */
  public void finish(String source, Map<String, String> classes, List<String> notes) {
    finish(source, classes, null, null, List.of(), notes);
  }

  /**
   * Writes the files.
   *
   * @param present see {@link TraceDescription}
   * @param weights see {@link TraceDescription}
   * @param procedures see {@link TraceDescription}
   */
  public void finish(
      String source,
      Map<String, String> classes,
      Map<String, String> present,
      Map<String, Double> weights,
      List<TracedProcedure> procedures,
      List<String> notes) {
    try {
      transactions.close();
      accesses.close();
    } catch (SQLException e) {
      throw failed(e);
    }
    engine.writeParquet(
        "SELECT tx, class, "
            + list("parameters")
            + " AS parameters, one_shot FROM transactions"
            + " ORDER BY tx",
        files.transactions());
    engine.writeParquet(
        "SELECT tx, step, table_name, key, "
            + list("attributes")
            + " AS attributes, bound, write, commutes, retyped,"
            + " CAST(string_split(nullif(depends_on, ''), ',') AS INTEGER[]) AS depends_on, decides"
            + " FROM accesses ORDER BY tx, step",
        files.accesses());
    JsonFile.write(
        files.descriptionFile(),
        new TraceDescription(
            TraceDescription.CURRENT_VERSION,
            source,
            tables.values().stream()
                .filter(table -> touched.contains(table.id()))
                .sorted(Comparator.comparing(TraceTable::id))
                .toList(),
            classes,
            present,
            weights,
            procedures,
            notes));
  }

  @Override
  public void close() {
    engine.close();
  }

  /** The primary key as one text; null when a part of it is not known. */
  private static String key(TraceTable table, Map<String, String> values) {
    if (table.primaryKey().isEmpty()) {
      return null;
    }
    StringBuilder key = new StringBuilder();
    for (String column : table.primaryKey()) {
      String value = values.get(column);
      if (value == null) {
        return null;
      }
      key.append(key.isEmpty() ? "" : ",").append(value.replace("\\", "\\\\").replace(",", "\\,"));
    }
    return key.toString();
  }

  private static String attributes(TraceTable table, Map<String, String> values) {
    return joined(table.attributes().stream().map(a -> values.get(a.name())).toList());
  }

  private static long bound(TraceTable table, List<String> columns) {
    long mask = 0;
    for (String column : columns) {
      int place = table.place(column);
      if (place >= 0 && place < Long.SIZE) {
        mask |= 1L << place;
      }
    }
    return mask;
  }

  private static String joined(List<String> values) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      if (i > 0) {
        text.append(SEPARATOR);
      }
      if (values.get(i) == null) {
        text.append(NULL);
      } else {
        text.append(values.get(i));
      }
    }
    return text.toString();
  }

  private static String list(String column) {
    return "list_transform(string_split(" + column + ", chr(31)), lambda x: nullif(x, chr(30)))";
  }

  private static AdvisorException failed(SQLException e) {
    return new AdvisorException("the trace cannot be written: " + e.getMessage(), e);
  }
}
