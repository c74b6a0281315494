package org.abelian.router.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.postgresql.ssl.PGjdbcHostnameVerifier;

/**
 * The router's side of TLS with nodes, for connections that speak messages and for those of pgjdbc.
 * Files are looked at for every connection, so that new certificates and revocation lists hold from
 * the next one on. Safe for several threads.
 */
public final class NodeTls implements AutoCloseable {
  private final NodeTlsSettings settings;
  private final PgjdbcClasses classes;
  private final WatchedFiles<SSLContext> context;
  private final String key = NodeSocketFactory.register(this::layer);

  /** With those settings; files are read when the first connection needs them. */
  public NodeTls(NodeTlsSettings settings) {
    this.settings = settings;
    classes = new PgjdbcClasses(settings);
    NodeTlsFiles files = new NodeTlsFiles(settings, classes);
    context = new WatchedFiles<>("TLS certificates for nodes", files.all(), () -> context(files));
  }

  /** What was asked for. */
  public NodeTlsSettings settings() {
    return settings;
  }

  /**
   * Reads the files, so that what is wrong with them shows now and not with the first connection.
   */
  public void check() throws TlsException {
    if (settings.mode() != SslMode.DISABLE) {
      context.get();
    }
  }

  private static SSLContext context(NodeTlsFiles files) throws TlsException {
    try {
      SSLContext ssl = SSLContext.getInstance("TLS");
      ssl.init(files.keys(), files.trust(), null);
      return ssl;
    } catch (GeneralSecurityException e) {
      throw new TlsException("could not set up TLS: " + e.getMessage(), e);
    }
  }

  /** A connection to a host, by the name or address by which the router knows it. */
  public TlsEngine engine(String host, int port) throws TlsException {
    SSLEngine engine = context.get().createSSLEngine(host, port);
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    configure(parameters, host);
    engine.setSSLParameters(parameters);
    return new TlsEngine(engine);
  }

  private void configure(SSLParameters parameters, String host) {
    parameters.setProtocols(TlsVersion.between(settings.minVersion(), settings.maxVersion()));
    parameters.setApplicationProtocols(new String[] {ServerTls.APPLICATION_PROTOCOL});
    parameters.setServerNames(
        settings.sni() && !isAddress(host) ? List.of(new SNIHostName(host)) : List.of());
  }

  /** libpq's rule: what it looks up is a name, and only names are told. */
  private static boolean isAddress(String host) {
    return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
  }

  /**
   * Refuses a certificate of another host, where the mode asks for that.
   *
   * @param session after the handshake
   */
  public void verifyHost(String host, SSLSession session) throws TlsException {
    if (!settings.mode().verifiesHost()) {
      return;
    }
    HostnameVerifier verifier = classes.hostnameVerifier();
    if (verifier == null) {
      verifier = PGjdbcHostnameVerifier.INSTANCE;
    }
    if (!verifier.verify(host, session)) {
      throw new TlsException("server certificate does not match host name \"" + host + "\"");
    }
  }

  private SSLSocket layer(Socket socket, String host, int port, boolean autoClose)
      throws IOException {
    SSLSocketFactory factory = context.get().getSocketFactory();
    SSLSocket layered = (SSLSocket) factory.createSocket(socket, host, port, autoClose);
    SSLParameters parameters = layered.getSSLParameters();
    configure(parameters, host);
    layered.setSSLParameters(parameters);
    return layered;
  }

  /** The factory that pgjdbc's property sslfactory names, in place of all files; null for none. */
  public SSLSocketFactory customFactory() throws TlsException {
    return classes.socketFactory();
  }

  /** Properties with which pgjdbc makes connections of the same kind. */
  public Map<String, String> pgjdbcProperties() {
    Map<String, String> properties = new HashMap<>(settings.classes());
    properties.put("sslmode", settings.mode().toString());
    properties.put("sslNegotiation", settings.negotiation().toString());
    properties.put("channelBinding", settings.channelBinding().toString());
    if (!classes.namesSocketFactory()) {
      properties.put("sslfactory", NodeSocketFactory.class.getName());
      properties.put("sslfactoryarg", key);
    }
    return properties;
  }

  /** Ends what pgjdbc may ask for. */
  @Override
  public void close() {
    NodeSocketFactory.forget(key);
  }
}
