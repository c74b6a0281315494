package org.abelian.server.conninfo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.abelian.router.pool.NodeAddress;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;

/**
 * How to connect to nodes, put together as libpq does: what the string says, then what its service
 * says, then the environment.
 *
 * @param addresses of nodes, at least one
 * @param database null when nothing names one
 * @param user null when nothing names one
 * @param password null when nothing names one
 * @param passwordFile named for passwords; null for libpq's own
 */
public record NodeOptions(
    List<NodeAddress> addresses,
    String database,
    String user,
    String password,
    String passwordFile,
    NodeTlsSettings tls) {
  private static final Map<String, String> VARIABLES = variables();

  /** What libpq knows beside and a router has no use for; each would be missed by its user. */
  private static final Set<String> UNSUPPORTED =
      Set.of(
          "application_name",
          "client_encoding",
          "connect_timeout",
          "fallback_application_name",
          "gssdelegation",
          "gsslib",
          "hostaddr",
          "keepalives",
          "keepalives_count",
          "keepalives_idle",
          "keepalives_interval",
          "krbsrvname",
          "load_balance_hosts",
          "options",
          "replication",
          "require_auth",
          "requirepeer",
          "sslcertmode",
          "sslcompression",
          "sslkeylogfile",
          "target_session_attrs",
          "tcp_user_timeout");

  private static Map<String, String> variables() {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("PGHOST", "host");
    names.put("PGPORT", "port");
    names.put("PGDATABASE", "dbname");
    names.put("PGUSER", "user");
    names.put("PGPASSWORD", "password");
    names.put("PGPASSFILE", "passfile");
    names.put("PGSSLMODE", "sslmode");
    names.put("PGSSLNEGOTIATION", "sslnegotiation");
    names.put("PGCHANNELBINDING", "channel_binding");
    names.put("PGSSLROOTCERT", "sslrootcert");
    names.put("PGSSLCERT", "sslcert");
    names.put("PGSSLKEY", "sslkey");
    names.put("PGSSLCRL", "sslcrl");
    names.put("PGSSLCRLDIR", "sslcrldir");
    names.put("PGSSLSNI", "sslsni");
    names.put("PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version");
    names.put("PGSSLMAXPROTOCOLVERSION", "ssl_max_protocol_version");
    names.put("PGGSSENCMODE", "gssencmode");
    return names;
  }

  /** Copies the list. */
  public NodeOptions {
    addresses = List.copyOf(addresses);
  }

  /**
   * Puts the options together.
   *
   * @param text a conninfo string, a URI or a list of addresses; null for none
   * @throws IllegalArgumentException when an option is unknown, malformed or not supported
   */
  public static NodeOptions of(String text, Map<String, String> environment) throws IOException {
    Map<String, String> options =
        text == null ? new LinkedHashMap<>() : new LinkedHashMap<>(Conninfo.parse(text));
    String service = options.remove("service");
    if (service == null) {
      service = environment.get("PGSERVICE");
    }
    if (service != null) {
      ServiceFile.find(service, environment).forEach(options::putIfAbsent);
    }
    VARIABLES.forEach(
        (variable, name) -> {
          if (environment.containsKey(variable)) {
            options.putIfAbsent(name, environment.get(variable));
          }
        });
    return build(options);
  }

  private static NodeOptions build(Map<String, String> options) {
    String host = options.remove("host");
    String port = options.remove("port");
    String database = options.remove("dbname");
    String user = options.remove("user");
    String password = options.remove("password");
    String passwordFile = options.remove("passfile");
    NodeTlsSettings.Builder tls = new NodeTlsSettings.Builder(Dialect.LIBPQ);
    options.forEach((name, value) -> set(tls, name, value));
    return new NodeOptions(
        addresses(host, port), database, user, password, passwordFile, tls.build());
  }

  private static void set(NodeTlsSettings.Builder tls, String name, String value) {
    if (tls.set(name, value)) {
      return;
    }
    if (name.equals("gssencmode")) {
      if (value.equals("require")) {
        throw new IllegalArgumentException("gssencmode=require is not supported");
      }
      return;
    }
    throw new IllegalArgumentException(
        UNSUPPORTED.contains(name)
            ? "the connection option \"" + name + "\" is not supported for nodes"
            : "invalid connection option \"" + name + "\"");
  }

  /** A single port is that of all hosts. */
  private static List<NodeAddress> addresses(String host, String port) {
    if (host == null || host.isBlank()) {
      throw new IllegalArgumentException("no node is named");
    }
    String[] hosts = host.split(",", -1);
    String[] ports = port == null ? new String[] {""} : port.split(",", -1);
    if (ports.length != 1 && ports.length != hosts.length) {
      throw new IllegalArgumentException(
          "could not match " + ports.length + " port numbers to " + hosts.length + " hosts");
    }
    List<NodeAddress> addresses = new ArrayList<>();
    for (int i = 0; i < hosts.length; i++) {
      String name = hosts[i].strip();
      if (name.startsWith("/") || name.startsWith("@")) {
        throw new IllegalArgumentException(
            "nodes are reached by TCP only, not by the socket \"" + name + "\"");
      }
      addresses.add(address(name, ports[ports.length == 1 ? 0 : i].strip()));
    }
    return addresses;
  }

  private static NodeAddress address(String host, String port) {
    int number = port.isEmpty() ? NodeAddress.DEFAULT_PORT : number(port);
    String name = host.isEmpty() ? "localhost" : host;
    boolean bracketed = name.startsWith("[") && name.endsWith("]");
    return new NodeAddress(bracketed ? name.substring(1, name.length() - 1) : name, number);
  }

  private static int number(String port) {
    try {
      int number = Integer.parseInt(port);
      if (number > 0 && number < 65_536) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same as a number that is out of range.
    }
    throw new IllegalArgumentException("invalid port number: \"" + port + "\"");
  }
}
