package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that show certificates, in place of a password or beside it. */
class ClientCertificateIT {
  private static final String QUERY = "SELECT current_user, count(*) FROM item";

  private static TlsCluster tls;

  @BeforeAll
  static void start() throws Exception {
    tls = TlsCluster.shared();
  }

  private static Result psql(String user, String password, Issued shown) throws Exception {
    Map<String, String> variables = new HashMap<>();
    variables.put("PGUSER", user);
    variables.put("PGPASSWORD", password);
    if (shown != null) {
      variables.put("PGSSLCERT", shown.certificate().toString());
      variables.put("PGSSLKEY", shown.key().toString());
    }
    return tls.psql(variables, QUERY);
  }

  private static void assertIn(String user, String password, Issued shown) throws Exception {
    assertEquals(new Result(0, user + "|20\n"), psql(user, password, shown));
  }

  private static void assertRefused(String reason, String user, String password, Issued shown)
      throws Exception {
    Result result = psql(user, password, shown);
    assertEquals(2, result.exit(), result.output());
    assertTrue(result.output().contains(reason), result.output());
  }

  @Test
  void theRoleOfTheCommonNameNeedsNoPassword() throws Exception {
    assertIn("certonly", "", tls.client("certonly"));
  }

  @Test
  void anotherRoleIsRefused() throws Exception {
    String reason = "certificate authentication failed for user \"certonly\"";
    assertRefused(reason, "certonly", "app", tls.client("somebody"));
  }

  @Test
  void withoutACertificateNobodyIsLetIn() throws Exception {
    assertRefused("connection requires a valid client certificate", "certonly", "app", null);
    assertRefused("connection requires a valid client certificate", "doubly", "app", null);
  }

  @Test
  void mapsTellRolesFromCommonNames() throws Exception {
    assertIn("mapped", "", tls.client("boss"));
    assertIn("mapped", "", tls.client("mapped@example.org"));
    String reason = "certificate authentication failed for user \"mapped\"";
    assertRefused(reason, "mapped", "", tls.client("mapped"));
    assertRefused(reason, "mapped", "", tls.client("other@example.org"));
  }

  @Test
  void aPasswordAndACertificateMayBothBeNeeded() throws Exception {
    Issued right = tls.client("doubly");
    assertIn("doubly", "app", right);
    assertRefused("password authentication failed for user \"doubly\"", "doubly", "wrong", right);
    String reason = "certificate authentication failed for user \"doubly\"";
    assertRefused(reason, "doubly", "app", tls.client("nobody"));
  }

  @Test
  void aCertificateThatIsNotAskedForDoesNoHarm() throws Exception {
    assertIn("app", "app", tls.client("whoever"));
  }

  @Test
  void aCertificateOfAStrangerEndsTheHandshake(@TempDir Path folder) throws Exception {
    CertificateAuthority stranger = CertificateAuthority.create(folder, "stranger");
    assertRefused("alert", "certonly", "", stranger.issue("certonly", "certonly"));
  }

  @Test
  void anExpiredCertificateEndsTheHandshake() throws Exception {
    assertRefused("alert", "certonly", "", tls.authority.issueExpired("old", "certonly"));
  }

  @Test
  void aRevokedCertificateEndsTheHandshakeAsSoonAsTheListIsThere() throws Exception {
    Issued lost = tls.authority.issue("lost", "certonly");
    assertIn("certonly", "", lost);
    tls.authority.revoke(lost);
    Path written = Files.copy(tls.authority.revocations(), tls.folder.resolve("new.crl"));
    Files.move(written, tls.revocations, StandardCopyOption.ATOMIC_MOVE);
    assertRefused("alert", "certonly", "", lost);
    assertIn("certonly", "", tls.client("certonly"));
  }
}
