package org.abelian.server.hba;

import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** The common name (CN) in the subject of a certificate. */
final class CommonName {
  private CommonName() {}

  /** The first one; null when there is none, or none that is a text. */
  static String of(X509Certificate certificate) {
    try {
      String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
      for (Rdn part : new LdapName(subject).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          // A zero byte would let a name look like another to those who stop there.
          return part.getValue() instanceof String text && text.indexOf('\0') < 0 ? text : null;
        }
      }
      return null;
    } catch (InvalidNameException e) {
      return null;
    }
  }
}
