package org.abelian.advisor.placement;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.abelian.advisor.files.Engine;

/** Maps from values, or identities of rows, to partitions; a partition of -1 is everywhere. */
public final class Lookups {
  private final Map<String, Map<String, Integer>> maps = new HashMap<>();

  /** The map of a name; an empty one when it is new. */
  public Map<String, Integer> map(String name) {
    return maps.computeIfAbsent(name, fresh -> new HashMap<>());
  }

  /** Writes all maps: map, value, partition. */
  public void write(Path file) {
    Path text = file.resolveSibling(file.getFileName() + ".csv");
    try (Engine engine = Engine.open()) {
      try (BufferedWriter out = Files.newBufferedWriter(text)) {
        for (var map : maps.entrySet()) {
          for (var entry : map.getValue().entrySet()) {
            out.write(quoted(map.getKey()) + "," + quoted(entry.getKey()) + "," + entry.getValue());
            out.newLine();
          }
        }
      }
      engine.writeParquet(
          "SELECT * FROM read_csv("
              + Engine.literal(text)
              + ", header = false, quote = '\"', escape = '\"', delim = ',', columns = {'map':"
              + " 'VARCHAR', 'value': 'VARCHAR', 'partition': 'INTEGER'}) ORDER BY map, value",
          file);
      Files.delete(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what {@link #write} wrote. */
  public static Lookups read(Path file) {
    Lookups lookups = new Lookups();
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT map, value, partition FROM " + Engine.parquet(file),
          row -> lookups.map(row.getString(1)).put(row.getString(2), row.getInt(3)));
    }
    return lookups;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }
}
