package org.abelian.advisor.workload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.trace.TraceTable;

/** The tuples that some transactions touch: their tables and what is known of their attributes. */
public final class Tuples {
  /** In place of a value that is not known. */
  public static final int UNKNOWN = -1;

  private final List<TraceTable> tables;
  private final Map<String, Integer> tableNumbers = new HashMap<>();
  private final Ints table = new Ints();
  private final List<String> identities = new ArrayList<>();
  private final List<int[]> values = new ArrayList<>();
  private final Map<String, Integer> valueNumbers = new HashMap<>();
  private final List<String> valueTexts = new ArrayList<>();
  private int[] tableOf;

  Tuples(List<TraceTable> tables) {
    this.tables = tables;
    for (int i = 0; i < tables.size(); i++) {
      tableNumbers.put(tables.get(i).id(), i);
    }
  }

  /** Adds the tuple with the next number. */
  void add(String tableId, String identity) {
    int number = tableNumbers.get(tableId);
    table.add(number);
    identities.add(identity);
    int[] unknown = new int[tables.get(number).attributes().size()];
    java.util.Arrays.fill(unknown, UNKNOWN);
    values.add(unknown);
  }

  /** What an access knew of a tuple. What an earlier one knew stays. */
  void know(int tuple, String attributes) {
    int[] known = values.get(tuple);
    int from = 0;
    for (int i = 0; i < known.length && from <= attributes.length(); i++) {
      int end = attributes.indexOf(TupleIdentity.SEPARATOR, from);
      end = end < 0 ? attributes.length() : end;
      String text = attributes.substring(from, end);
      if (known[i] == UNKNOWN && !text.equals(TupleIdentity.UNKNOWN)) {
        known[i] =
            valueNumbers.computeIfAbsent(
                text,
                fresh -> {
                  valueTexts.add(fresh);
                  return valueTexts.size() - 1;
                });
      }
      from = end + 1;
    }
  }

  void seal() {
    tableOf = table.toArray();
  }

  /** How many there are; they are numbered from 0. */
  public int size() {
    return tableOf.length;
  }

  /** The tables; they are numbered from 0. */
  public List<TraceTable> tables() {
    return tables;
  }

  /** The number of a tuple's table. */
  public int table(int tuple) {
    return tableOf[tuple];
  }

  /** What makes it the same tuple; see {@link TupleIdentity}. */
  public String identity(int tuple) {
    return identities.get(tuple);
  }

  /** The number of the value of an attribute, or {@link #UNKNOWN}. */
  public int value(int tuple, int attribute) {
    return values.get(tuple)[attribute];
  }

  /** The text of a value, or null when it is not known. */
  public String text(int value) {
    return value == UNKNOWN ? null : valueTexts.get(value);
  }

  /** The text of the value of an attribute, or null when it is not known. */
  public String text(int tuple, int attribute) {
    return text(value(tuple, attribute));
  }

  /** How many different values there are; they are numbered from 0, equal texts alike. */
  public int valueCount() {
    return valueTexts.size();
  }
}
