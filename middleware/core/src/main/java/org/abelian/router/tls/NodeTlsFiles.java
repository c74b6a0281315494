package org.abelian.router.tls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;

/**
 * Which files the settings of TLS with nodes mean, and what they say. What was named must be there;
 * what lies at a place of its own, only when it is needed.
 */
final class NodeTlsFiles {
  private static final String FOLDER = ".postgresql";

  private final NodeTlsSettings settings;
  private final PgjdbcClasses classes;
  private final boolean libpq;
  private final Path rootCert;
  private final Path cert;
  private final Path key;
  private final Path crl;
  private final Path crlDir;

  NodeTlsFiles(NodeTlsSettings settings, PgjdbcClasses classes) {
    this.settings = settings;
    this.classes = classes;
    libpq = settings.dialect() == NodeTlsSettings.Dialect.LIBPQ;
    rootCert = usesSystem() ? null : path(settings.rootCert(), "root.crt");
    cert = path(settings.cert(), "postgresql.crt");
    key = path(settings.key(), libpq ? "postgresql.key" : "postgresql.pk8");
    crl = path(settings.crl(), "root.crl");
    crlDir = path(settings.crlDir(), null);
  }

  /** An empty name means the default in libpq, and none in pgjdbc. */
  private Path path(String named, String byDefault) {
    if (named != null && !(libpq && named.isEmpty())) {
      return named.isEmpty() ? null : Path.of(named);
    }
    return byDefault == null ? null : Path.of(System.getProperty("user.home"), FOLDER, byDefault);
  }

  private boolean usesSystem() {
    return NodeTlsSettings.SYSTEM.equals(settings.rootCert());
  }

  /** Those whose change means that the rest is to be read again. */
  List<Path> all() {
    return Stream.of(rootCert, cert, key, crl, crlDir).filter(Objects::nonNull).toList();
  }

  /** Whose certificates are accepted. */
  TrustManager[] trust() throws TlsException {
    if (!settings.mode().requiresEncryption()) {
      return Trust.anyone(); // A plain connection would do, so an unknown other side does.
    }
    if (usesSystem()) {
      return Trust.system();
    }
    boolean there = rootCert != null && Files.exists(rootCert);
    if (settings.mode().verifiesAuthority()) {
      if (!there) {
        throw new TlsException(
            "root certificate file \""
                + rootCert
                + "\" does not exist; provide the file, use the system's trusted roots with"
                + " sslrootcert=system, or change sslmode to disable server certificate"
                + " verification");
      }
    } else if (!there || !libpq) {
      return Trust.anyone();
    }
    return Trust.authorities(
        CertificateFile.certificates("root certificate file", rootCert), revocations());
  }

  private List<X509CRL> revocations() throws TlsException {
    List<X509CRL> lists = new ArrayList<>();
    if (crl != null && (settings.crl() != null || Files.exists(crl))) {
      lists.addAll(CertificateFile.revocations("certificate revocation list file", crl));
    }
    if (crlDir != null) {
      lists.addAll(CertificateFile.revocationsIn(crlDir));
    }
    return lists;
  }

  /** The router's own key; null for none. */
  KeyManager[] keys() throws TlsException {
    if (key != null && isArchive(key)) {
      return settings.key() != null || Files.exists(key)
          ? new KeyManager[] {CertifiedKey.readArchive(key, classes::passphrase)}
          : null;
    }
    if (cert == null || key == null || settings.cert() == null && !Files.exists(cert)) {
      return null;
    }
    if (!Files.exists(key)) {
      if (!libpq && settings.key() == null) {
        return null;
      }
      throw new TlsException("certificate present, but not private key file \"" + key + "\"");
    }
    if (libpq) {
      CertifiedKey.requirePrivate(key);
    }
    return new KeyManager[] {CertifiedKey.read(cert, key, classes::passphrase)};
  }

  /** By the endings of pgjdbc. */
  private static boolean isArchive(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".p12") || name.endsWith(".pfx");
  }
}
