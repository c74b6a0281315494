package org.abelian.advisor.sample;

import java.util.Arrays;
import java.util.List;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceTable.Attribute;

/** Tables of samples, in few words. */
final class SampleTables {
  private SampleTables() {}

  /**
   * A table of schema public.
   *
   * @param bytes of a row
   * @param keyLength how many of the columns, from the first, are the primary key; 0 for none
   * @param columns {@code name} of type integer, or {@code name:type}
   */
  static TraceTable table(String name, int bytes, int keyLength, String... columns) {
    List<Attribute> attributes =
        Arrays.stream(columns)
            .map(column -> column.split(":"))
            .map(parts -> new Attribute(parts[0], parts.length > 1 ? parts[1] : "integer"))
            .toList();
    List<String> key = attributes.stream().limit(keyLength).map(Attribute::name).toList();
    return new TraceTable(
        "public", name, key.isEmpty() ? List.of() : List.of(key), attributes, List.of(), bytes);
  }
}
