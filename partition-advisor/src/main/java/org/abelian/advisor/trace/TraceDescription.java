package org.abelian.advisor.trace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a trace's files do not say by themselves.
 *
 * @param version of the format
 * @param source where it comes from, for people
 * @param tables all tables that were touched
 * @param classes what each class of transactions does, for people
 * @param present the distribution columns of tables that are placed already, {@link #REFERENCE} for
 *     reference tables; tables of a cluster that are not in it lie on the first node. Null when it
 *     is no cluster's
 * @param weights by class, how much more often its transactions are in truth than in the trace; the
 *     mean over all transactions is 1. Null when the trace's shares are the true ones
 * @param procedures that its transactions call; none in a trace of an older version
 * @param notes what is not in it, and why
 */
public record TraceDescription(
    int version,
    String source,
    List<TraceTable> tables,
    Map<String, String> classes,
    Map<String, String> present,
    Map<String, Double> weights,
    List<TracedProcedure> procedures,
    List<String> notes) {
  /** In place of a distribution column. */
  public static final String REFERENCE = "*";

  /** The version that this program writes. */
  public static final int CURRENT_VERSION = 1;

  /** Copies the collections. */
  public TraceDescription {
    tables = List.copyOf(tables);
    classes = new TreeMap<>(classes);
    present = present == null ? null : new TreeMap<>(present);
    weights = weights == null ? null : new TreeMap<>(weights);
    procedures = procedures == null ? List.of() : List.copyOf(procedures);
    notes = List.copyOf(notes);
  }

  /** The weight of a transaction of a class. */
  public double weight(String name) {
    return weights == null ? 1 : weights.getOrDefault(name, 1.0);
  }

  /** The tables by schema and name. */
  @JsonIgnore
  public Map<String, TraceTable> tablesById() {
    Map<String, TraceTable> byId = new TreeMap<>();
    tables.forEach(table -> byId.put(table.id(), table));
    return byId;
  }
}
