package org.abelian.advisor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceWriter;

/** Small traces, written by hand. */
public final class Traces {
  private Traces() {}

  /** A transaction of a class. */
  public record Tx(String name, boolean oneShot, List<Access> accesses) {}

  /** A table whose first columns are its primary key. */
  public static TraceTable table(String name, int keyLength, String... columns) {
    return new TraceTable(
        "public",
        name,
        keyLength == 0 ? List.of() : List.of(List.of(columns).subList(0, keyLength)),
        Arrays.stream(columns).map(c -> new TraceTable.Attribute(c, "integer")).toList(),
        List.of(),
        10);
  }

  /** A one-shot transaction. */
  public static Tx tx(Access... accesses) {
    return new Tx("t", true, List.of(accesses));
  }

  /** A read of a row of table t. */
  public static Access read(int step, int id) {
    return Access.read(step, "public.t", Map.of("id", "" + id));
  }

  /** A write of a row of table t. */
  public static Access write(int step, int id) {
    return Access.write(step, "public.t", Map.of("id", "" + id));
  }

  /** Writes a trace. */
  public static TraceFiles write(Path folder, List<TraceTable> tables, List<Tx> transactions) {
    try (OutputFolder output = OutputFolder.begin(folder);
        TraceWriter writer = new TraceWriter(output.path(), tables)) {
      for (Tx one : transactions) {
        writer.add(one.name(), List.of(), one.oneShot(), one.accesses());
      }
      writer.finish("a test", Map.of(), List.of());
      output.finish();
    }
    return new TraceFiles(folder);
  }
}
