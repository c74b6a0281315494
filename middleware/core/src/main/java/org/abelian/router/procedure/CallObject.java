package org.abelian.router.procedure;

import java.util.Comparator;

/**
 * A row that a call names: of a distributed table, by the text of its key.
 *
 * @param schema of the table
 * @param table its name
 * @param key the value of its distribution column
 */
public record CallObject(String schema, String table, String key)
    implements Comparable<CallObject> {
  private static final Comparator<CallObject> ORDER =
      Comparator.comparing(CallObject::schema)
          .thenComparing(CallObject::table)
          .thenComparing(CallObject::key);

  @Override
  public int compareTo(CallObject other) {
    return ORDER.compare(this, other);
  }
}
