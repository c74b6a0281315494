package org.abelian.router.analysis;

import java.util.List;
import java.util.Map;

/**
 * What the call of a procedure touches that is not distributed, or a DO.
 *
 * @param signature its name and the types of its arguments, as PostgreSQL reads them
 * @param function schema.name; empty for DO
 * @param returns true when it gives rows
 * @param flat true when it is nothing but changes of one table each, one after the other, so that
 *     no row's value reaches another
 * @param unseen what it may do that is not among the touches; empty when they are all
 * @param stays true when something is unseen, but it names no table that is placed: it may run on
 *     the first node, which watches what it does
 * @param ends true when it has COMMIT or ROLLBACK, which PostgreSQL allows outside a block only
 * @param arguments for each argument its value, none when only a node can compute it
 */
public record BodyFacts(
    String signature,
    String function,
    boolean returns,
    boolean flat,
    List<String> unseen,
    boolean stays,
    boolean ends,
    List<List<Value>> arguments,
    List<Touch> touches) {
  /**
   * A mention of a table.
   *
   * @param columns and the position of the argument, from 1, that each equals in all rows that
   *     matter
   * @param constants columns that equal a constant
   */
  public record Touch(
      String schema,
      String table,
      boolean write,
      Map<String, Integer> columns,
      Map<String, Value> constants) {
    /** Copies the maps. */
    public Touch {
      columns = Map.copyOf(columns);
      constants = Map.copyOf(constants);
    }
  }

  /** Copies the lists. */
  public BodyFacts {
    unseen = List.copyOf(unseen);
    arguments = arguments.stream().map(List::copyOf).toList();
    touches = List.copyOf(touches);
  }

  /** True when the touches are all that it does. */
  public boolean isKnown() {
    return unseen.isEmpty() && !touches.isEmpty();
  }
}
