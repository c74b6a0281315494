package org.abelian.router.trace;

import java.util.Arrays;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.protocol.BindMessage;

/** A statement with copies of its values, as its client bound it. Not thread-safe. */
public final class TracedStatement {
  /** Of longer values only the beginning is kept, in bytes. */
  static final int VALUE_MAX = 1024;

  /** What a statement takes beside its text and values, in bytes. */
  private static final int LEAST = 200;

  /** The same for a value. */
  private static final int VALUE_LEAST = 32;

  private final String sql;
  private final StatementFacts facts;
  private final Catalog catalog;
  private final int[] nodes;
  private final Value[] values;
  private final long began = System.nanoTime();
  private final int bytes;
  private boolean executed;
  private long ended;
  private long rows = -1;

  /**
   * A value.
   *
   * @param bytes of its beginning; null for NULL
   * @param length of the whole
   */
  record Value(byte[] bytes, int length, boolean binary) {
    private static final Value NULL = new Value(null, 0, false);

    boolean isNull() {
      return bytes == null;
    }

    boolean isCut() {
      return bytes != null && bytes.length < length;
    }
  }

  /**
   * Copies the values.
   *
   * @param nodes where it goes
   */
  TracedStatement(
      String sql, StatementFacts facts, Catalog catalog, int[] nodes, BindMessage bind) {
    this.sql = sql;
    this.facts = facts;
    this.catalog = catalog;
    this.nodes = nodes;
    values = new Value[bind.parameterCount()];
    int taken = LEAST + sql.length();
    for (int i = 0; i < values.length; i++) {
      values[i] = value(bind, i);
      taken += VALUE_LEAST + (values[i].isNull() ? 0 : values[i].bytes().length);
    }
    bytes = taken;
  }

  private static Value value(BindMessage bind, int i) {
    int length = bind.length(i);
    if (length < 0) {
      return Value.NULL;
    }
    int from = bind.offset(i);
    byte[] kept = Arrays.copyOfRange(bind.array(), from, from + Math.min(length, VALUE_MAX));
    return new Value(kept, length, bind.isBinary(i));
  }

  /** Its answer is complete; false when it was before. */
  boolean end(String tag) {
    ended = System.nanoTime();
    long count = count(tag);
    rows = count < 0 ? rows : Math.max(rows, 0) + count;
    boolean first = !executed;
    executed = true;
    return first;
  }

  /** The rows of a tag such as INSERT 0 5; negative when it names none. */
  private static long count(String tag) {
    if (tag == null) {
      return -1;
    }
    String last = tag.substring(tag.lastIndexOf(' ') + 1);
    boolean number = !last.isEmpty() && last.length() < 19;
    for (int i = 0; number && i < last.length(); i++) {
      number = Character.isDigit(last.charAt(i));
    }
    return number ? Long.parseLong(last) : -1;
  }

  /** What it takes in memory. */
  int bytes() {
    return bytes;
  }

  String sql() {
    return sql;
  }

  StatementFacts facts() {
    return facts;
  }

  Catalog catalog() {
    return catalog;
  }

  int[] nodes() {
    return nodes;
  }

  Value[] values() {
    return values;
  }

  /** The type of a parameter, counted from 0; 0 when it is not known. */
  int type(int parameter) {
    return parameter < facts.parameters().size() ? facts.parameters().get(parameter) : 0;
  }

  /** How long it took from its Bind to the end of its answer. */
  long nanos() {
    return ended - began;
  }

  /** When its answer was complete, by System.nanoTime(). */
  long ended() {
    return ended;
  }

  /** How many rows it gave or changed; negative when that is not known. */
  long rows() {
    return rows;
  }
}
