package org.abelian.server.hba;

import java.security.cert.CertificateException;
import java.util.function.Supplier;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientOutput;
import org.abelian.router.frontend.Authentication;
import org.abelian.router.frontend.ScramAuthentication;
import org.abelian.router.protocol.ProtocolException;
import org.abelian.router.protocol.ScramSecret;
import org.abelian.router.protocol.StartupMessage;
import org.abelian.server.hba.HbaRule.ClientCertificate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates one client by the first rule that is about its connection. Whoever shows only a
 * certificate has no secret that the nodes could be given: they must let the router in by its own.
 */
public final class RuledAuthentication implements Authentication {
  private static final Logger LOG = LoggerFactory.getLogger(RuledAuthentication.class);

  private final ClientRules rules;
  private final ScramAuthentication scram;
  private final Supplier<Channel> channel;

  /**
   * @param channel asked when the client says who it wants to be
   */
  public RuledAuthentication(
      ClientRules rules, ScramAuthentication scram, Supplier<Channel> channel) {
    this.rules = rules;
    this.scram = scram;
    this.channel = channel;
  }

  @Override
  public Exchange begin(StartupMessage startup, ClientOutput output) {
    Channel used = channel.get();
    HbaRule rule = rules.find(used.encrypted(), used.client(), startup.database(), startup.user());
    if (rule == null) {
      throw refused("no pg_hba.conf entry for " + description(used, startup), null);
    }
    if (rule.method() == HbaRule.Method.REJECT) {
      throw refused("pg_hba.conf rejects connection for " + description(used, startup), null);
    }
    if (rule.clientCertificate() != ClientCertificate.NO) {
      requireCertificate(used);
    }
    if (rule.method() == HbaRule.Method.CERT) {
      requireName(rule, used, startup.user());
      return PROVEN;
    }
    Exchange exchange = scram.begin(startup, output, used.endPoint());
    return rule.clientCertificate() == ClientCertificate.VERIFY_FULL
        ? new WithName(exchange, () -> requireName(rule, used, startup.user()))
        : exchange;
  }

  private static String description(Channel channel, StartupMessage startup) {
    return String.format(
        "host \"%s\", user \"%s\", database \"%s\", %s",
        channel.client().getHostAddress(),
        startup.user(),
        startup.database(),
        channel.encrypted() ? "SSL encryption" : "no encryption");
  }

  private static AbelianException refused(String message, String detail) {
    return new AbelianException(
        SqlState.INVALID_AUTHORIZATION_SPECIFICATION, message, detail, null, null);
  }

  private static void requireCertificate(Channel channel) {
    if (!channel.verifiesClients()) {
      throw refused(
          "client certificates can only be checked if a root certificate store is available", null);
    }
    if (channel.certificate() == null) {
      throw refused("connection requires a valid client certificate", null);
    }
    try {
      // A resumed TLS session remembers a certificate that was valid when the session began.
      channel.certificate().checkValidity();
    } catch (CertificateException e) {
      throw refused("connection requires a valid client certificate", e.getMessage());
    }
  }

  private void requireName(HbaRule rule, Channel channel, String user) {
    String name = CommonName.of(channel.certificate());
    if (name == null || !rules.allows(rule.map(), name, user)) {
      LOG.info(
          "the common name \"{}\" of a client's certificate does not stand for role \"{}\" (rule in"
              + " line {})",
          name,
          user,
          rule.line());
      throw refused("certificate authentication failed for user \"" + user + "\"", null);
    }
  }

  /** A proof of the password, after which the certificate's name counts as well. */
  private record WithName(Exchange password, Runnable name) implements Exchange {
    @Override
    public boolean answer(byte[] array, int from, int to, ClientOutput output)
        throws ProtocolException {
      boolean proven = password.answer(array, from, to, output);
      if (proven) {
        name.run();
      }
      return proven;
    }

    @Override
    public ScramSecret secret() {
      return password.secret();
    }
  }
}
