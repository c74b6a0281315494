package org.abelian.advisor.graph;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.abelian.advisor.files.Engine;

/** Writes the tables vertex, edge and pin in the formats of METIS and hMETIS. */
final class GraphText {
  private final Engine engine;

  GraphText(Engine engine) {
    this.engine = engine;
  }

  void write(GraphFiles files, long vertices, long edges) {
    try (BufferedWriter out = Files.newBufferedWriter(files.graph())) {
      out.write(vertices + " " + edges + " 011\n");
      lines(
          "SELECT v.weight, coalesce(n.list, '') FROM vertex v LEFT JOIN (SELECT a, string_agg(b ||"
              + " ' ' || weight, ' ' ORDER BY b) AS list FROM (SELECT a, b, weight FROM edge UNION"
              + " ALL SELECT b, a, weight FROM edge) GROUP BY a) n ON n.a = v.vertex ORDER BY"
              + " v.vertex",
          out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    writeHypergraph(files, vertices);
  }

  private void writeHypergraph(GraphFiles files, long vertices) {
    // One for each transaction, and one for each copy, which costs what its writes do.
    engine.run(
        "CREATE TABLE net AS SELECT greatest(1, round("
            + EdgeWeight.LIGHT
            + " * any_value(share)))::BIGINT AS weight, string_agg(vertex, ' ' ORDER BY vertex) AS"
            + " pins FROM use WHERE NOT soft GROUP BY tx HAVING count(*) > 1",
        "INSERT INTO net SELECT weight, centre || ' ' || copy FROM copying");
    try (BufferedWriter out = Files.newBufferedWriter(files.hypergraph())) {
      out.write(engine.number("SELECT count(*) FROM net") + " " + vertices + " 11\n");
      lines("SELECT weight::VARCHAR, pins FROM net ORDER BY pins, weight", out);
      lines("SELECT weight::VARCHAR, '' FROM vertex ORDER BY vertex", out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void lines(String query, BufferedWriter out) {
    engine.each(
        query,
        row -> {
          try {
            out.write(row.getString(1));
            String rest = row.getString(2);
            if (!rest.isEmpty()) {
              out.write(' ');
              out.write(rest);
            }
            out.newLine();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
