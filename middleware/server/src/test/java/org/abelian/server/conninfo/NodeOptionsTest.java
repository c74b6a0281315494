package org.abelian.server.conninfo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.abelian.router.tls.ChannelBinding;
import org.abelian.router.tls.SslMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeOptionsTest {
  private static NodeOptions of(String text) throws IOException {
    return NodeOptions.of(text, Map.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "db1:7001,db2:7002 | [db1:7001, db2:7002]",
        "db1, db2:7 | [db1:5432, db2:7]",
        "[2001:db8::1]:7,[::1] | [2001:db8::1:7, ::1:5432]",
        "postgresql://db1:1,db2,[::1]:3 | [db1:1, db2:5432, ::1:3]",
        "postgres://u@db1/d | [db1:5432]",
        "postgresql:///d?host=a,b&port=7 | [a:7, b:7]",
        "host=a,b port=1,2 | [a:1, b:2]",
        "host=a,b port=9 | [a:9, b:9]",
        "host=a,b | [a:5432, b:5432]",
        "host = 'a' port= 1 | [a:1]"
      })
  void addressesAreThoseOfLibpq(String text, String addresses) throws IOException {
    assertEquals(addresses, of(text).addresses().toString());
  }

  @Test
  void aUriSaysTheRest() throws IOException {
    NodeOptions options =
        of(
            "postgresql://router%40x:p%3A%2F+@db1:7,db2/my%20shop?sslmode=verify-full&"
                + "sslrootcert=/etc/a%26b.crt&channel_binding=require");
    assertEquals("router@x", options.user());
    assertEquals("p:/+", options.password());
    assertEquals("my shop", options.database());
    assertEquals(SslMode.VERIFY_FULL, options.tls().mode());
    assertEquals("/etc/a&b.crt", options.tls().rootCert());
    assertEquals(ChannelBinding.REQUIRE, options.tls().channelBinding());
    assertEquals(SslMode.REQUIRE, of("postgresql://db1?ssl=true").tls().mode());
  }

  @Test
  void aConninfoStringSaysTheRest() throws IOException {
    NodeOptions options =
        of("host=a user=router password='it\\'s \\\\ secret' dbname=my\\ shop sslmode=require ");
    assertEquals("router", options.user());
    assertEquals("it's \\ secret", options.password());
    assertEquals("my shop", options.database());
    assertEquals(SslMode.REQUIRE, options.tls().mode());
    assertNull(options.passwordFile());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host=a user",
        "host=a password='open",
        "host=a colour=red",
        "host=a connect_timeout=3",
        "host=a,b port=1,2,3",
        "host=a port=x",
        "host=a port=0",
        "host=a port=65536",
        "host=/run/postgresql",
        "host=a sslmode=maybe",
        "host=a sslnegotiation=direct",
        "host=a gssencmode=require",
        "user=somebody",
        "postgresql://",
        "postgresql://db1?sslmode",
        "postgresql://db1?=x",
        "postgresql://db1:port/d",
        "postgresql://db%zz/d"
      })
  void whatIsMalformedIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> of(text), text);
  }

  @Test
  void theStringCountsMoreThanTheServiceAndThatMoreThanTheEnvironment(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("service.conf");
    Files.writeString(
        file,
        """
        # comment
        [other]
        host=elsewhere

        [shop]
        host=db1,db2
        port=7
        user=fromservice
        dbname = fromservice
        sslmode=require
        [last]
        password=no
        """);
    Map<String, String> environment =
        Map.of(
            "PGSERVICEFILE", file.toString(),
            "PGSERVICE", "shop",
            "PGUSER", "fromenvironment",
            "PGPASSWORD", "fromenvironment",
            "PGSSLMODE", "disable",
            "PGCHANNELBINDING", "disable",
            "PGPASSFILE", "/passwords");
    NodeOptions options = NodeOptions.of("user=fromstring dbname=x", environment);
    assertEquals("[db1:7, db2:7]", options.addresses().toString());
    assertEquals("fromstring", options.user());
    assertEquals("x", options.database());
    assertEquals("fromenvironment", options.password());
    assertEquals("/passwords", options.passwordFile());
    assertEquals(SslMode.REQUIRE, options.tls().mode());
    assertEquals(ChannelBinding.DISABLE, options.tls().channelBinding());

    NodeOptions named = NodeOptions.of("service=other user=u", environment);
    assertEquals("[elsewhere:5432]", named.addresses().toString());
    assertEquals("fromservice", NodeOptions.of(null, environment).database());
    assertThrows(IllegalArgumentException.class, () -> NodeOptions.of("service=none", environment));
    Files.writeString(file, "[shop]\nnonsense\n");
    assertThrows(IllegalArgumentException.class, () -> NodeOptions.of(null, environment));
  }

  @Test
  void theEnvironmentAloneIsEnough() throws IOException {
    NodeOptions options =
        NodeOptions.of(null, Map.of("PGHOST", "a,b", "PGPORT", "1,2", "PGDATABASE", "d"));
    assertEquals("[a:1, b:2]", options.addresses().toString());
    assertEquals("d", options.database());
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> NodeOptions.of(null, Map.of()))
            .getMessage()
            .contains("no node is named"));
  }
}
