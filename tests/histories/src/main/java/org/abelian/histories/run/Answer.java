package org.abelian.histories.run;

import java.util.List;
import org.abelian.histories.program.Tuple;

/**
 * What a statement answered.
 *
 * @param count rows affected or returned
 * @param rows rows returned, in no order; empty if the statement returns none
 */
public record Answer(int count, List<Tuple> rows) {
  public static Answer count(int count) {
    return new Answer(count, List.of());
  }

  public static Answer rows(List<Tuple> rows) {
    return new Answer(rows.size(), List.copyOf(rows));
  }
}
