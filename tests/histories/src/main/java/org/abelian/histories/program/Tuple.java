package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** A returned row: the key and the values of the columns that the statement asked for. */
public record Tuple(int id, List<Object> values) {
  public Tuple {
    values = Collections.unmodifiableList(new ArrayList<>(values));
  }

  @Override
  public String toString() {
    return id + values.stream().map(Tuple::shown).collect(Collectors.joining(",", "(", ")"));
  }

  private static String shown(Object value) {
    return value instanceof BigDecimal number
        ? number.stripTrailingZeros().toPlainString()
        : String.valueOf(value);
  }
}
