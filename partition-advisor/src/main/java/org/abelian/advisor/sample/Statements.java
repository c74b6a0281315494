package org.abelian.advisor.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.abelian.advisor.trace.Access;

/**
 * The statements of a transaction, one after the other. Rows are given as column, value, column,
 * value, ...; all values that a statement gives are named by it.
 */
final class Statements {
  private final List<Access> accesses = new ArrayList<>();
  private int step;

  /** A statement that reads a row, or all rows with these values. */
  Statements read(String table, Object... row) {
    accesses.add(Access.read(step++, "public." + table, row(row)));
    return this;
  }

  /** A statement that changes or inserts a row. */
  Statements write(String table, Object... row) {
    accesses.add(Access.write(step++, "public." + table, row(row)));
    return this;
  }

  /** Says more about the last one. */
  Statements which(UnaryOperator<Access> more) {
    accesses.set(accesses.size() - 1, more.apply(accesses.get(accesses.size() - 1)));
    return this;
  }

  /** The last one needs the result of an earlier statement. */
  Statements after(int earlier) {
    return which(access -> access.after(List.of(earlier)));
  }

  /** The last one finds its row by these columns only. */
  Statements by(String... columns) {
    return which(
        access ->
            new Access(
                access.step(),
                access.table(),
                access.values(),
                List.of(columns),
                access.write(),
                access.commutes(),
                access.retyped(),
                access.dependsOn(),
                access.decides()));
  }

  /** The number of the last statement. */
  int last() {
    return step - 1;
  }

  List<Access> all() {
    return accesses;
  }

  /** Values by column. */
  static Map<String, String> row(Object... columnsAndValues) {
    Map<String, String> row = new LinkedHashMap<>();
    for (int i = 0; i < columnsAndValues.length; i += 2) {
      row.put((String) columnsAndValues[i], columnsAndValues[i + 1].toString());
    }
    return row;
  }

  /** Parameters of a call. */
  static List<String> texts(Object... values) {
    return Arrays.stream(values).map(String::valueOf).toList();
  }
}
