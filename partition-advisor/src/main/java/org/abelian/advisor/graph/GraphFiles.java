package org.abelian.advisor.graph;

import java.nio.file.Path;
import org.abelian.advisor.files.JsonFile;

/**
 * The files of a graph.
 *
 * @param folder where they are
 */
public record GraphFiles(Path folder) {
  /** {@link GraphDescription}. */
  public Path descriptionFile() {
    return folder.resolve("graph.json");
  }

  /** The graph in METIS's format, vertices and edges with weights. */
  public Path graph() {
    return folder.resolve("graph.metis");
  }

  /**
   * The hypergraph in hMETIS's format: one net for each transaction, and one for each copy with its
   * centre; the vertices are those of the graph.
   */
  public Path hypergraph() {
    return folder.resolve("graph.hgr");
  }

  /** Which tuples each node stands for: table_name, identity, node, accesses. */
  public Path nodes() {
    return folder.resolve("nodes.parquet");
  }

  /** Which vertex stands for a node in a transaction: tx, node, vertex, writes, soft, share. */
  public Path pins() {
    return folder.resolve("pins.parquet");
  }

  /** Reads the description. */
  public GraphDescription description() {
    return JsonFile.read(descriptionFile(), GraphDescription.class);
  }
}
