package org.abelian.router.pool;

/** Where a node listens. */
public record NodeAddress(String host, int port) {
  /** The port that PostgreSQL listens on by default. */
  public static final int DEFAULT_PORT = 5432;

  /**
   * Reads {@code host}, {@code host:port} or {@code [v6]:port}.
   *
   * @throws IllegalArgumentException when the port is no number
   */
  public static NodeAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0 || text.endsWith("]")) {
      return new NodeAddress(strip(text), DEFAULT_PORT);
    }
    return new NodeAddress(
        strip(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
  }

  private static String strip(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
