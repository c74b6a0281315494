package org.abelian.router.tls;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.security.spec.PSSParameterSpec;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The channel binding tls-server-end-point (RFC 5929): a digest of the server's certificate, which
 * both sides see and nobody between them can have as his own.
 */
public final class ServerEndPoint {
  private ServerEndPoint() {}

  /**
   * The digest of a certificate; null where the RFC defines none, since the certificate's signature
   * names no single hash function (Ed25519, Ed448).
   */
  public static byte[] of(X509Certificate certificate) {
    try {
      String hash = hash(certificate);
      return hash == null ? null : MessageDigest.getInstance(hash).digest(certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      return null;
    }
  }

  /** The same for the certificate that a server has shown in a handshake. */
  public static byte[] ofPeer(SSLSession session) {
    try {
      return session.getPeerCertificates()[0] instanceof X509Certificate first ? of(first) : null;
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
  }

  /** That of the signature, but SHA-256 in place of those that are broken. */
  private static String hash(X509Certificate certificate) throws GeneralSecurityException {
    String signature = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
    if (signature.equals("RSASSA-PSS")) {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("RSASSA-PSS");
      try {
        parameters.init(certificate.getSigAlgParams());
      } catch (IOException e) {
        throw new GeneralSecurityException(e);
      }
      return strong(parameters.getParameterSpec(PSSParameterSpec.class).getDigestAlgorithm());
    }
    int with = signature.indexOf("WITH");
    return with < 0 ? null : strong(signature.substring(0, with));
  }

  private static String strong(String hash) {
    String plain = hash.replace("-", "").toUpperCase(Locale.ROOT);
    return switch (plain) {
      case "MD5", "SHA1" -> "SHA-256";
      case "SHA224", "SHA256", "SHA384", "SHA512" -> "SHA-" + plain.substring(3);
      default -> hash;
    };
  }
}
