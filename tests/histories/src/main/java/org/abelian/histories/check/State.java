package org.abelian.histories.check;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.histories.program.Row;

/** The rows that a reader sees, by incarnation. Immutable. */
record State(Map<String, Row> rows) {
  static State of(Collection<Row> rows) {
    Map<String, Row> all = new TreeMap<>();
    rows.forEach(row -> all.put(row.incarnation(), row));
    return new State(all);
  }

  /** This state after the effects; those on rows that are not there change nothing. */
  State plus(List<Effect> effects) {
    if (effects.isEmpty()) {
      return this;
    }
    Map<String, Row> changed = new TreeMap<>(rows);
    for (Effect effect : effects) {
      apply(effect, changed);
    }
    return new State(changed);
  }

  private static void apply(Effect effect, Map<String, Row> rows) {
    String incarnation = effect.footprint().incarnation();
    if (effect.inserted() != null) {
      rows.put(incarnation, effect.inserted());
    } else if (effect.deleted()) {
      rows.remove(incarnation);
    } else {
      Row row = rows.get(incarnation);
      if (row != null) {
        for (Effect.Change change : effect.changes()) {
          row = change.applyTo(row);
        }
        rows.put(incarnation, row);
      }
    }
  }

  Row byIncarnation(String incarnation) {
    return rows.get(incarnation);
  }

  /** The row with the key, or null. Only a state with committed rows has at most one. */
  Row byId(int id) {
    for (Row row : rows.values()) {
      if (row.id() == id) {
        return row;
      }
    }
    return null;
  }
}
