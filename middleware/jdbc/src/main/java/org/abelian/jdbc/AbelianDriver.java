package org.abelian.jdbc;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import org.abelian.router.RouterConfig;
import org.abelian.router.pool.PoolLimits;
import org.abelian.router.tls.NodeTlsSettings;
import org.abelian.router.trace.TraceSettings;
import org.abelian.router.trace.Tracer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JDBC driver {@code jdbc:abelian:}. Connections are pgjdbc's own, over a socket that is a
 * router session in this process: one hop to the data, and every feature of pgjdbc.
 */
public final class AbelianDriver implements Driver {
  /** How many connections one role may have to one node; read from the URL or the properties. */
  static final String CONNECTIONS_PER_NODE = "abelianConnectionsPerNode";

  /** How many milliseconds a session waits for a connection to a node. */
  static final String CONNECTION_WAIT = "abelianConnectionWaitMillis";

  private static final Logger LOG = LoggerFactory.getLogger(AbelianDriver.class);

  private static final org.postgresql.Driver POSTGRESQL = new org.postgresql.Driver();

  static {
    try {
      DriverManager.registerDriver(new AbelianDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public boolean acceptsURL(String url) {
    return url != null && url.startsWith(AbelianUrl.PREFIX);
  }

  @Override
  public Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    AbelianUrl parsed;
    NodeTlsSettings tls;
    PoolLimits limits;
    TraceSettings trace;
    try {
      parsed = AbelianUrl.parse(url, info == null ? new Properties() : info);
      tls = NodeTlsProperties.take(parsed.properties());
      limits = limits(parsed.properties());
      trace = TraceProperties.take(parsed.properties());
    } catch (IllegalArgumentException e) {
      throw new SQLException(
          "not a URL of this driver: " + url + ": " + e.getMessage(), "08001", e);
    }
    Properties properties = parsed.properties();
    RouterConfig config =
        new RouterConfig(
            parsed.seeds(),
            parsed.database(),
            properties.getProperty("user"),
            properties.getProperty("password"),
            tls,
            limits);
    properties.remove(CONNECTIONS_PER_NODE);
    properties.remove(CONNECTION_WAIT);
    properties.setProperty("socketFactory", RouterSocketFactory.class.getName());
    properties.setProperty("socketFactoryArg", Routers.key(config, tracer(trace)));
    // The inner socket never leaves the process.
    properties.setProperty("sslmode", "disable");
    properties.setProperty("gssEncMode", "disable");
    String database = URLEncoder.encode(parsed.database(), StandardCharsets.UTF_8);
    return POSTGRESQL.connect("jdbc:postgresql://localhost/" + database, properties);
  }

  /** A trace that cannot be written shall not keep anybody from the data. */
  private static Tracer tracer(TraceSettings settings) {
    if (settings == null) {
      return null;
    }
    try {
      return Tracers.of(settings);
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("transactions are not traced: {}", e.getMessage());
      return null;
    }
  }

  private static PoolLimits limits(Properties properties) {
    return new PoolLimits(
        number(properties, CONNECTIONS_PER_NODE, PoolLimits.DEFAULT.connectionsPerNode()),
        number(properties, CONNECTION_WAIT, PoolLimits.DEFAULT.waitMillis()));
  }

  private static int number(Properties properties, String name, int byDefault) {
    String value = properties.getProperty(name);
    return value == null ? byDefault : Integer.parseInt(value);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return POSTGRESQL.getPropertyInfo("jdbc:postgresql:", info);
  }

  @Override
  public int getMajorVersion() {
    return 0;
  }

  @Override
  public int getMinorVersion() {
    return 1;
  }

  /** JDBC asks for entry-level SQL 92 conformance, which pgjdbc does not claim either. */
  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public java.util.logging.Logger getParentLogger() {
    return java.util.logging.Logger.getLogger("org.abelian.jdbc");
  }
}
