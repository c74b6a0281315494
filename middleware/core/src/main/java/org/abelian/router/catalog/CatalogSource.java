package org.abelian.router.catalog;

import java.io.IOException;

/** Asks a node for its catalogue. */
@FunctionalInterface
public interface CatalogSource {
  /**
   * The JSON of abelian.catalog() on that node.
   *
   * @throws IOException when the node cannot be asked; the message says why
   */
  String read(Node node) throws IOException;
}
