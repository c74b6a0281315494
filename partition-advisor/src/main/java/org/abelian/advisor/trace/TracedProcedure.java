package org.abelian.advisor.trace;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A procedure or function that transactions of the trace call.
 *
 * @param signature its name and the types of its arguments, as PostgreSQL reads them; also the name
 *     of the class of transactions that are one call of it
 * @param calls how often
 * @param returns whether it gives rows
 * @param flat whether it is nothing but changes of one table each, so that no row's value reaches
 *     another
 * @param unseen what it does that is not among the touches
 * @param touches its mentions of tables
 */
public record TracedProcedure(
    String signature,
    long calls,
    boolean returns,
    boolean flat,
    List<String> unseen,
    List<Touch> touches) {
  /**
   * A mention of a table.
   *
   * @param table schema and name
   * @param columns and the position of the argument, from 1, that each equals
   */
  public record Touch(String table, boolean write, Map<String, Integer> columns) {
    /** Copies the map. */
    public Touch {
      columns = new TreeMap<>(columns);
    }
  }

  /** Copies the lists. */
  public TracedProcedure {
    unseen = List.copyOf(unseen);
    touches = List.copyOf(touches);
  }
}
