package org.abelian.advisor.trace;

import java.util.List;
import java.util.Map;

/**
 * One time that a statement of a transaction reads or writes a tuple, or tuples of which it names
 * only a part of the key.
 *
 * @param step the number of the statement within its transaction, from 0
 * @param table schema and name
 * @param values what is known of the tuple: values by column, as text
 * @param bound columns that the statement itself names the tuple by
 * @param write whether it writes
 * @param commutes whether the write is a blind commuting operation
 * @param retyped what types of columns would make the write commute; null when none would
 * @param dependsOn steps whose results it needs; null when that is not known
 * @param decides whether the transaction may abort because of what it found here
 */
public record Access(
    int step,
    String table,
    Map<String, String> values,
    List<String> bound,
    boolean write,
    boolean commutes,
    String retyped,
    List<Integer> dependsOn,
    boolean decides) {
  /** A read. */
  public static Access read(int step, String table, Map<String, String> values) {
    return new Access(
        step, table, values, List.copyOf(values.keySet()), false, false, null, null, false);
  }

  /** A write that does not commute. */
  public static Access write(int step, String table, Map<String, String> values) {
    return new Access(
        step, table, values, List.copyOf(values.keySet()), true, false, null, null, false);
  }

  /** The same as a commuting write. */
  public Access commuting() {
    return new Access(step, table, values, bound, true, true, null, dependsOn, decides);
  }

  /** The same with the types of columns that would make it commute. */
  public Access retyped(String types) {
    return new Access(step, table, values, bound, write, commutes, types, dependsOn, decides);
  }

  /** The same after other steps, none of which may lie on another node. */
  public Access after(List<Integer> steps) {
    return new Access(step, table, values, bound, write, commutes, retyped, steps, decides);
  }

  /** The same as one that may make the transaction abort. */
  public Access deciding() {
    return new Access(step, table, values, bound, write, commutes, retyped, dependsOn, true);
  }
}
