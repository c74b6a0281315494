package org.abelian.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.abelian.router.pool.NodeAddress;

/**
 * {@code jdbc:abelian://host:port,host:port/database?property=value&...}. The properties are those
 * of pgjdbc.
 *
 * @param seeds addresses of nodes
 * @param database by default named as the user
 */
record AbelianUrl(List<NodeAddress> seeds, String database, Properties properties) {
  static final String PREFIX = "jdbc:abelian:";

  /**
   * Reads a URL.
   *
   * @param defaults win over nothing: what the URL says counts more
   * @throws IllegalArgumentException when it is malformed
   */
  static AbelianUrl parse(String url, Properties defaults) {
    Properties properties = new Properties();
    defaults
        .stringPropertyNames()
        .forEach(name -> properties.setProperty(name, defaults.getProperty(name)));
    String rest = url.substring(PREFIX.length());
    if (!rest.startsWith("//")) {
      throw new IllegalArgumentException("expected jdbc:abelian://host:port,host:port/database");
    }
    int question = rest.indexOf('?');
    if (question >= 0) {
      readProperties(rest.substring(question + 1), properties);
      rest = rest.substring(0, question);
    }
    int slash = rest.indexOf('/', 2);
    String hosts = rest.substring(2, slash < 0 ? rest.length() : slash);
    String database = slash < 0 ? "" : decode(rest.substring(slash + 1));
    List<NodeAddress> seeds = new ArrayList<>();
    for (String host : hosts.split(",")) {
      seeds.add(NodeAddress.parse(host.isBlank() ? "localhost" : host.strip()));
    }
    if (database.isEmpty()) {
      database = properties.getProperty("user", System.getProperty("user.name"));
    }
    return new AbelianUrl(List.copyOf(seeds), database, properties);
  }

  private static void readProperties(String text, Properties properties) {
    for (String part : text.split("&")) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        properties.setProperty(
            decode(part.substring(0, equals)), decode(part.substring(equals + 1)));
      }
    }
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
