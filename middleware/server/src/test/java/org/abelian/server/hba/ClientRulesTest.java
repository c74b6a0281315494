package org.abelian.server.hba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientRulesTest {
  @TempDir Path folder;

  private ClientRules rules(String hba, String ident) throws IOException {
    return ClientRules.open(
        Files.writeString(folder.resolve("hba"), hba),
        Files.writeString(folder.resolve("ident"), ident));
  }

  /** The line of the rule for a connection; 0 when there is none. */
  private static int line(
      ClientRules rules, boolean encrypted, String address, String database, String user)
      throws IOException {
    HbaRule rule = rules.find(encrypted, InetAddress.getByName(address), database, user);
    return rule == null ? 0 : rule.line();
  }

  @Test
  void theFirstRuleThatMatchesCounts() throws IOException {
    ClientRules rules =
        rules(
            """
            # comment
            hostssl  shop,"all"  app,"Odd ""name\"""  10.0.0.0/8   scram-sha-256   # more
            hostnossl all all 10.1.0.0 255.255.0.0 reject

            host sameuser all \\
                ::1/128 scram-sha-256
            hostnogssenc all last 0.0.0.0/0 scram-sha-256
            """,
            "");
    assertEquals(2, line(rules, true, "10.9.8.7", "shop", "app"));
    assertEquals(2, line(rules, true, "10.9.8.7", "all", "Odd \"name\""));
    assertEquals(0, line(rules, true, "10.9.8.7", "other", "app"), "a quoted all is a name");
    assertEquals(0, line(rules, true, "11.9.8.7", "shop", "app"));
    assertEquals(0, line(rules, false, "10.9.8.7", "shop", "app"));
    assertEquals(3, line(rules, false, "10.1.8.7", "shop", "app"));
    assertEquals(5, line(rules, false, "::1", "app", "app"));
    assertEquals(0, line(rules, false, "::1", "shop", "app"));
    assertEquals(7, line(rules, false, "192.0.2.1", "shop", "last"));
    assertEquals(0, line(rules, false, "2001:db8::1", "shop", "last"));
  }

  @Test
  void addressesMayBeNamedInOtherWays() throws IOException {
    ClientRules rules =
        rules(
            """
            host one all samehost scram-sha-256
            host two all 192.0.2.7 scram-sha-256
            host three all 2001:db8::/33 scram-sha-256
            host four all all scram-sha-256
            """,
            "");
    assertEquals(1, line(rules, false, "127.0.0.1", "one", "u"));
    assertEquals(0, line(rules, false, "192.0.2.7", "one", "u"));
    assertEquals(2, line(rules, false, "192.0.2.7", "two", "u"));
    assertEquals(0, line(rules, false, "192.0.2.8", "two", "u"));
    assertEquals(3, line(rules, false, "2001:db8:7fff::", "three", "u"));
    assertEquals(0, line(rules, false, "2001:db8:8000::", "three", "u"));
    assertEquals(4, line(rules, false, "2001:db8:8000::", "four", "u"));
  }

  @Test
  void withoutAFileAPasswordIsEnough() throws IOException {
    ClientRules rules = ClientRules.open(null, null);
    HbaRule rule = rules.find(false, InetAddress.getByName("192.0.2.1"), "d", "u");
    assertEquals(HbaRule.Method.SCRAM_SHA_256, rule.method());
    assertFalse(rules.mentionEncryption());
  }

  @Test
  void certificatesAreAskedForAsTheOptionsSay() throws IOException {
    ClientRules rules =
        rules(
            """
            hostssl a all all cert
            hostssl b all all cert clientcert=verify-full map=people clientname=CN
            hostssl c all all scram-sha-256 clientcert=verify-ca
            """,
            "");
    InetAddress client = InetAddress.getByName("192.0.2.1");
    HbaRule bare = rules.find(true, client, "a", "u");
    assertEquals(HbaRule.Method.CERT, bare.method());
    assertEquals(HbaRule.ClientCertificate.VERIFY_FULL, bare.clientCertificate());
    assertNull(bare.map());
    assertEquals("people", rules.find(true, client, "b", "u").map());
    assertEquals(
        HbaRule.ClientCertificate.VERIFY_CA,
        rules.find(true, client, "c", "u").clientCertificate());
    assertTrue(rules.mentionEncryption());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# nothing",
        "local all all peer",
        "hostgssenc all all all scram-sha-256",
        "host all all all trust",
        "host all all all md5",
        "host all all all magic",
        "host all all all",
        "host all all",
        "host all +group all scram-sha-256",
        "host all @file all scram-sha-256",
        "host /pattern all all scram-sha-256",
        "host samerole all all scram-sha-256",
        "host all all example.org scram-sha-256",
        "host all all samenet scram-sha-256",
        "host all all 10.0.0.0/33 scram-sha-256",
        "host all all 10.0.0.0/x scram-sha-256",
        "host all all 10.0.0.300 scram-sha-256",
        "host all all 10.0.0.0 ::1 scram-sha-256",
        "host all all all cert",
        "host all all all scram-sha-256 clientcert=verify-full",
        "hostssl all all all cert clientcert=verify-ca",
        "hostssl all all all cert clientname=DN",
        "hostssl all all all scram-sha-256 clientcert=1",
        "hostssl all all all scram-sha-256 map=people",
        "hostssl all all all scram-sha-256 colour=red",
        "host \"all all all scram-sha-256",
        "host all all all,10.0.0.1 scram-sha-256",
        "include other.conf"
      })
  void whatTheServerCannotDoIsAnErrorWithItsLine(String line) {
    IOException error = assertThrows(IOException.class, () -> rules(line, ""));
    assertTrue(error.getMessage().contains("line 1: "), error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "people, boss, chief, true",
    "people, boss, other, false",
    "people, ann@example.org, ann, true",
    "people, ann@example.org, bob, false",
    "people, ann@example.org.evil, ann, false",
    "people, free, anything, true",
    "people, a b, spaced, true",
    "others, boss, chief, false",
    "others, dave, dave, true",
    ", dave, dave, true",
    ", dave, Dave, false"
  })
  void mapsTellWhoMayBeWhom(String map, String commonName, String role, boolean allowed)
      throws IOException {
    ClientRules rules =
        rules(
            "host all all all scram-sha-256",
            """
            people  boss                     chief
            people  "/^([a-z]+)@example\\.org$"  \\1
            people  free                     all
            people  "a b"                    spaced
            others  /^d                      dave
            """);
    assertEquals(allowed, rules.allows(map, commonName, role));
  }

  @ParameterizedTest
  @ValueSource(strings = {"one two", "m /( role", "m name +group", "m name /role", "m a b c"})
  void mapsThatSayNothingAreErrors(String line) {
    assertThrows(IOException.class, () -> rules("host all all all scram-sha-256", line));
  }

  @Test
  void rulesThatCannotBeReadAgainStayAsTheyWere() throws IOException {
    ClientRules rules = rules("host all all all reject", "");
    Files.writeString(folder.resolve("hba"), "host all all all trust");
    rules.reload();
    InetAddress client = InetAddress.getByName("192.0.2.1");
    assertEquals(HbaRule.Method.REJECT, rules.find(false, client, "d", "u").method());
    Files.writeString(folder.resolve("hba"), "host all all all scram-sha-256");
    rules.reload();
    assertEquals(HbaRule.Method.SCRAM_SHA_256, rules.find(false, client, "d", "u").method());
  }

  @Test
  void listsGoOnAfterACommaAndABlank() throws ConfigurationException {
    List<Words.Line> lines = Words.lines("host a, b ,c d");
    assertEquals(1, lines.size());
    assertEquals(List.of("a", "b"), texts(lines.get(0), 1));
  }

  private static List<String> texts(Words.Line line, int field) {
    return line.fields().get(field).stream().map(Words.Word::text).toList();
  }
}
