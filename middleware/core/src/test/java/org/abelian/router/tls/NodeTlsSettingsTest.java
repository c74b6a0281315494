package org.abelian.router.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.abelian.router.tls.NodeTlsSettings.Builder;
import org.abelian.router.tls.NodeTlsSettings.Dialect;
import org.junit.jupiter.api.Test;

class NodeTlsSettingsTest {
  private static NodeTlsSettings settings(String... options) {
    Builder builder = new Builder(Dialect.LIBPQ);
    for (String option : options) {
      int equals = option.indexOf('=');
      assertTrue(builder.set(option.substring(0, equals), option.substring(equals + 1)), option);
    }
    return builder.build();
  }

  private static void assertRefused(String... options) {
    assertThrows(IllegalArgumentException.class, () -> settings(options));
  }

  @Test
  void theDefaultsAreThoseOfLibpq() {
    NodeTlsSettings byDefault = settings();
    assertEquals(SslMode.PREFER, byDefault.mode());
    assertEquals(SslNegotiation.POSTGRES, byDefault.negotiation());
    assertEquals(ChannelBinding.PREFER, byDefault.channelBinding());
    assertEquals(TlsVersion.TLS_1_2, byDefault.minVersion());
    assertEquals(NodeTlsSettings.DEFAULT, byDefault);
  }

  @Test
  void theSystemsRootsAreForTheStrictestModeAlone() {
    assertEquals(SslMode.VERIFY_FULL, settings("sslrootcert=system").mode());
    assertEquals(SslMode.VERIFY_FULL, settings("sslmode=verify-full", "sslrootcert=system").mode());
    assertRefused("sslrootcert=system", "sslmode=verify-ca");
  }

  @Test
  void aDirectHandshakeIsForModesThatInsist() {
    assertEquals(
        SslNegotiation.DIRECT, settings("sslmode=require", "sslnegotiation=direct").negotiation());
    assertRefused("sslnegotiation=direct");
    assertRefused("sslnegotiation=direct", "sslmode=allow");
  }

  @Test
  void whatIsNotThereIsRefusedAndNamed() {
    assertRefused("sslmode=verify_full");
    assertRefused("sslnegotiation=indirect");
    assertRefused("channel_binding=yes");
    assertRefused("ssl_min_protocol_version=SSLv3");
    assertRefused("ssl_min_protocol_version=TLSv1.3", "ssl_max_protocol_version=TLSv1.2");
    assertFalse(new Builder(Dialect.LIBPQ).set("application_name", "x"));
  }

  @Test
  void secretsDoNotShow() {
    assertFalse(settings("sslpassword=open sesame").toString().contains("sesame"));
  }
}
