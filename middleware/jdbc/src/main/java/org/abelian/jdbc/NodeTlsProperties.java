package org.abelian.jdbc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.postgresql.PGProperty;

/**
 * pgjdbc's properties about encryption. They concern the connections to nodes: pgjdbc itself speaks
 * to a router in the same process.
 */
final class NodeTlsProperties {
  /** pgjdbc's names of what libpq names otherwise. */
  private static final Map<String, String> LIBPQ_NAMES =
      Map.of(
          PGProperty.SSL_NEGOTIATION.getName(), "sslnegotiation",
          PGProperty.CHANNEL_BINDING.getName(), "channel_binding");

  private static final List<PGProperty> CLASSES =
      List.of(
          PGProperty.SSL_FACTORY,
          PGProperty.SSL_FACTORY_ARG,
          PGProperty.SSL_HOSTNAME_VERIFIER,
          PGProperty.SSL_PASSWORD_CALLBACK);

  private NodeTlsProperties() {}

  /**
   * Takes them out of the properties of a connection.
   *
   * @throws IllegalArgumentException when a value is none that the property may have
   */
  static NodeTlsSettings take(Properties properties) {
    if ("require".equalsIgnoreCase(properties.getProperty("gssEncMode"))) {
      throw new IllegalArgumentException("gssEncMode=require is not supported");
    }
    NodeTlsSettings.Builder settings = new NodeTlsSettings.Builder(Dialect.PGJDBC);
    if (isSsl((String) properties.remove(PGProperty.SSL.getName()))) {
      settings.set("sslmode", "verify-full");
    }
    for (String name : properties.stringPropertyNames()) {
      String value = properties.getProperty(name);
      if (settings.set(LIBPQ_NAMES.getOrDefault(name, name), value)) {
        properties.remove(name);
      }
    }
    Map<String, String> classes = new HashMap<>();
    for (PGProperty property : CLASSES) {
      String value = (String) properties.remove(property.getName());
      if (value != null) {
        classes.put(property.getName(), value);
      }
    }
    return settings.classes(classes).build();
  }

  /** The property ssl alone is as good as true, and means the strictest mode. */
  private static boolean isSsl(String value) {
    return value != null && (value.isEmpty() || Boolean.parseBoolean(value));
  }
}
