package org.abelian.workloads.commit;

import java.net.URI;
import org.abelian.router.catalog.Node;

/** What the URL of a node says. */
final class Addresses {
  private static final String SCHEME = "jdbc:";

  private Addresses() {}

  /** The node that a URL names. */
  static Node node(int id, String url) {
    URI uri = URI.create(url.substring(SCHEME.length()));
    return new Node(id, uri.getHost(), uri.getPort());
  }

  /** The database that a URL names. */
  static String database(String url) {
    return URI.create(url.substring(SCHEME.length())).getPath().substring(1);
  }

  /** The same database on another node. */
  static String url(Node node, String url) {
    return "jdbc:postgresql://" + node.host() + ":" + node.port() + "/" + database(url);
  }
}
