package org.abelian.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.abelian.router.pool.NodeAddress;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.jdbcurlresolver.PgPassParser;

/**
 * {@code jdbc:abelian://host:port,host:port/database?property=value&...}. All but the first word is
 * read by pgjdbc: properties, {@code service=} with its file, the password file.
 *
 * @param seeds addresses of nodes
 * @param database by default named as the user
 * @param properties those of pgjdbc that say nothing about the address
 */
record AbelianUrl(List<NodeAddress> seeds, String database, Properties properties) {
  static final String PREFIX = "jdbc:abelian:";

  private static final String PGJDBC_PREFIX = "jdbc:postgresql:";

  /**
   * Reads a URL.
   *
   * @param defaults win over nothing: what the URL says counts more
   * @throws IllegalArgumentException when it is malformed, or its service is not known
   */
  static AbelianUrl parse(String url, Properties defaults) {
    String rest = url.substring(PREFIX.length());
    if (!rest.startsWith("//")) {
      throw new IllegalArgumentException("expected jdbc:abelian://host:port,host:port/database");
    }
    Properties parsed = Driver.parseURL(PGJDBC_PREFIX + withSlash(rest), withUser(defaults));
    if (parsed == null) {
      throw new IllegalArgumentException(
          "an address or a property is malformed, or the service is not defined; pgjdbc has logged"
              + " which");
    }
    Properties properties = new Properties();
    parsed
        .stringPropertyNames()
        .forEach(name -> properties.setProperty(name, parsed.getProperty(name)));
    properties.keySet().removeAll(List.of("PGHOST", "PGPORT", "PGDBNAME", "service"));
    List<NodeAddress> seeds =
        seeds(PGProperty.PG_HOST.getOrDefault(parsed), PGProperty.PG_PORT.getOrDefault(parsed));
    String database = PGProperty.PG_DBNAME.getOrDefault(parsed);
    findPassword(seeds, database, properties);
    return new AbelianUrl(seeds, database, properties);
  }

  /** pgjdbc wants a slash after the addresses even where no database follows. */
  private static String withSlash(String rest) {
    int question = rest.indexOf('?');
    String addresses = question < 0 ? rest : rest.substring(0, question);
    return addresses.indexOf('/', 2) >= 0
        ? rest
        : addresses + "/" + (question < 0 ? "" : rest.substring(question));
  }

  private static Properties withUser(Properties defaults) {
    Properties operatingSystem = new Properties();
    operatingSystem.setProperty("user", System.getProperty("user.name"));
    Properties result = new Properties(operatingSystem);
    defaults
        .stringPropertyNames()
        .forEach(name -> result.setProperty(name, defaults.getProperty(name)));
    return result;
  }

  private static List<NodeAddress> seeds(String hosts, String ports) {
    String[] host = hosts.split(",", -1);
    String[] port = ports.split(",", -1);
    List<NodeAddress> seeds = new ArrayList<>();
    for (int i = 0; i < host.length; i++) {
      String name = host[i].isBlank() ? "localhost" : host[i].strip();
      seeds.add(NodeAddress.parse(name + ":" + port[Math.min(i, port.length - 1)].strip()));
    }
    return List.copyOf(seeds);
  }

  /** pgjdbc looks for a line about all addresses together; here it may be about any. */
  private static void findPassword(
      List<NodeAddress> seeds, String database, Properties properties) {
    for (NodeAddress seed : seeds) {
      if (properties.getProperty("password") != null) {
        return;
      }
      String port = Integer.toString(seed.port());
      String user = properties.getProperty("user");
      String password = PgPassParser.getPassword(seed.host(), port, database, user);
      if (password != null) {
        properties.setProperty("password", password);
      }
    }
  }
}
