package org.abelian.router.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Whose certificates are accepted. */
final class Trust {
  private static final TrustManager[] ANYONE = {new Anyone()};

  private Trust() {}

  /** Any certificate will do: for encryption without knowing with whom. */
  static TrustManager[] anyone() {
    return ANYONE;
  }

  /** The authorities that the JVM trusts, those of its property javax.net.ssl.trustStore. */
  static TrustManager[] system() throws TlsException {
    try {
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init((KeyStore) null);
      return factory.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new TlsException("could not load the system's root certificates", e);
    }
  }

  /**
   * Authorities that are named.
   *
   * @param revocations when not empty, every certificate up to the authority must be covered by one
   *     of them and not be on it
   */
  static TrustManager[] authorities(
      Collection<X509Certificate> roots, Collection<X509CRL> revocations) throws TlsException {
    try {
      Set<TrustAnchor> anchors =
          roots.stream().map(root -> new TrustAnchor(root, null)).collect(Collectors.toSet());
      PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
      parameters.setRevocationEnabled(false); // The checker below is in place of the JDK's own.
      if (!revocations.isEmpty()) {
        CollectionCertStoreParameters lists = new CollectionCertStoreParameters(revocations);
        parameters.addCertStore(CertStore.getInstance("Collection", lists));
        PKIXRevocationChecker checker =
            (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
        // The lists alone are asked: no network is.
        checker.setOptions(
            EnumSet.of(
                PKIXRevocationChecker.Option.PREFER_CRLS,
                PKIXRevocationChecker.Option.NO_FALLBACK));
        parameters.addCertPathChecker(checker);
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(new CertPathTrustManagerParameters(parameters));
      return factory.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new TlsException("could not use the root certificates: " + e.getMessage(), e);
    }
  }

  /** Extended, since the JDK wraps others in checks of its own. */
  private static final class Anyone extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
