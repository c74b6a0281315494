package org.abelian.router.tls;

import java.util.Map;

/**
 * TLS with nodes, by the names and with the meaning of libpq's connection options, or of pgjdbc's.
 * Paths that are null have the dialect's defaults in {@code ~/.postgresql}.
 *
 * @param dialect whose defaults and rules hold
 * @param mode sslmode
 * @param negotiation sslnegotiation
 * @param channelBinding channel_binding
 * @param rootCert sslrootcert: authorities of the nodes' certificates; {@code system} for the JVM's
 * @param cert sslcert: the router's own certificate
 * @param key sslkey: its key
 * @param password sslpassword: the key's passphrase; null for none
 * @param crl sslcrl: revoked certificates of nodes
 * @param crlDir sslcrldir: the same in several files; null for none
 * @param minVersion ssl_min_protocol_version
 * @param maxVersion ssl_max_protocol_version; null for the newest
 * @param sni sslsni: nodes are told the name by which they are known
 * @param classes pgjdbc's properties that name classes (sslfactory and the like), by name; usually
 *     none
 */
public record NodeTlsSettings(
    Dialect dialect,
    SslMode mode,
    SslNegotiation negotiation,
    ChannelBinding channelBinding,
    String rootCert,
    String cert,
    String key,
    String password,
    String crl,
    String crlDir,
    TlsVersion minVersion,
    TlsVersion maxVersion,
    boolean sni,
    Map<String, String> classes) {
  /** The root certificates that the system trusts. */
  public static final String SYSTEM = "system";

  /** What libpq does when nothing is said. */
  public static final NodeTlsSettings DEFAULT = new Builder(Dialect.LIBPQ).build();

  /** Whose rules hold where the two differ. */
  public enum Dialect {
    /**
     * The key lies in postgresql.key and is nobody else's to read. A file of root certificates is
     * used whenever it is there.
     */
    LIBPQ,
    /** The key lies in postgresql.pk8. Root certificates matter to the modes verify-* only. */
    PGJDBC
  }

  /** Refuses combinations that would seem safer than they are, as libpq does. */
  public NodeTlsSettings {
    classes = Map.copyOf(classes);
    if (negotiation == SslNegotiation.DIRECT && !mode.requiresEncryption()) {
      throw new IllegalArgumentException(
          "weak sslmode \""
              + mode
              + "\" may not be used with sslnegotiation=direct (use require, verify-ca or"
              + " verify-full)");
    }
    if (SYSTEM.equals(rootCert) && !mode.verifiesHost()) {
      throw new IllegalArgumentException(
          "weak sslmode \""
              + mode
              + "\" may not be used with sslrootcert=system (use verify-full)");
    }
    TlsVersion.between(minVersion, maxVersion);
  }

  @Override
  public String toString() {
    return "NodeTlsSettings[sslmode=" + mode + "]";
  }

  /** Reads the options one by one, by libpq's names. */
  public static final class Builder {
    private final Dialect dialect;
    private SslMode mode;
    private SslNegotiation negotiation = SslNegotiation.POSTGRES;
    private ChannelBinding channelBinding = ChannelBinding.PREFER;
    private String rootCert;
    private String cert;
    private String key;
    private String password;
    private String crl;
    private String crlDir;
    private TlsVersion minVersion = TlsVersion.TLS_1_2;
    private TlsVersion maxVersion;
    private boolean sni = true;
    private Map<String, String> classes = Map.of();

    /** With the dialect's defaults. */
    public Builder(Dialect dialect) {
      this.dialect = dialect;
    }

    /**
     * Takes an option.
     *
     * @return false when it does not concern TLS
     * @throws IllegalArgumentException when its value is not one of those that it may have
     */
    public boolean set(String name, String value) {
      switch (name) {
        case "sslmode" -> mode = SslMode.parse(value);
        case "sslnegotiation" -> negotiation = SslNegotiation.parse(value);
        case "channel_binding" -> channelBinding = ChannelBinding.parse(value);
        case "sslrootcert" -> rootCert = value;
        case "sslcert" -> cert = value;
        case "sslkey" -> key = value;
        case "sslpassword" -> password = value;
        case "sslcrl" -> crl = value;
        case "sslcrldir" -> crlDir = value;
        case "ssl_min_protocol_version" -> minVersion = TlsVersion.parse(name, value);
        case "ssl_max_protocol_version" -> maxVersion = TlsVersion.parse(name, value);
        case "sslsni" -> sni = !value.equals("0");
        default -> {
          return false;
        }
      }
      return true;
    }

    /** Names of classes that pgjdbc is to use, by the names of its properties. */
    public Builder classes(Map<String, String> properties) {
      classes = properties;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException when they do not go together
     */
    public NodeTlsSettings build() {
      SslMode byDefault = SYSTEM.equals(rootCert) ? SslMode.VERIFY_FULL : SslMode.PREFER;
      return new NodeTlsSettings(
          dialect,
          mode == null ? byDefault : mode,
          negotiation,
          channelBinding,
          rootCert,
          cert,
          key,
          password,
          crl,
          crlDir,
          minVersion,
          maxVersion,
          sni,
          classes);
    }
  }
}
