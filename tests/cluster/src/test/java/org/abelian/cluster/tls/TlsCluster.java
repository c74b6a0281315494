package org.abelian.cluster.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.cluster.ClientProgram;
import org.abelian.cluster.ClientProgram.Result;
import org.abelian.harness.CertificateAuthority;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WireTap;

/**
 * Two nodes that nobody but the superuser reaches in the clear, and a router server with rules for
 * clients of every kind. Made once for all classes of a run. Everybody's password is {@code app}.
 */
final class TlsCluster {
  /** Nobody has the name localhost in a certificate by chance; the address is in none. */
  static final String HOST = "localhost";

  private static final List<String> ROLES = List.of("certonly", "mapped", "doubly", "plain");

  private static final String NODE_RULES =
      """
      hostssl all certonly,mapped 127.0.0.1/32 cert map=routers
      hostssl all app,doubly,plain,router 127.0.0.1/32 scram-sha-256
      """;

  private static final String NODE_MAPS = "routers router certonly\nrouters router mapped\n";

  static final String CLIENT_RULES =
      """
      # kind    database  user      address  method
      hostssl   all       certonly  all      cert
      hostssl   all       mapped    all      cert map=people
      hostssl   all       doubly    all      scram-sha-256 clientcert=verify-full
      host      all       plain     all      scram-sha-256
      host      all       rejected  all      reject
      hostssl   abelian   app       samehost scram-sha-256
      """;

  private static final String CLIENT_MAPS =
      "people  boss  mapped\npeople  /^(.*)@example\\.org$  \\1\n";

  private static TlsCluster shared;

  final Path folder;
  final CertificateAuthority authority;
  final Issued routerKey;
  final Path routerPassphraseKey;
  final List<TlsNode> nodes = new ArrayList<>();

  /** Belongs to no cluster, and is anybody's to change. */
  final TlsNode spare;

  final List<WireTap> taps = new ArrayList<>();
  final LocalCluster cluster;
  final Path certificate;
  final Path key;
  final Path rules;
  final Path revocations;
  final RouterServer router;

  private TlsCluster() throws Exception {
    folder = Files.createTempDirectory("abelian-tls");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "tls files clean-up"));
    authority = CertificateAuthority.create(folder, "authority");
    List<LocalNode> created = LocalCluster.createNodes(3, Map.of());
    for (LocalNode node : created.subList(0, 2)) {
      Issued issued = authority.issue(node.name(), "node", "IP:127.0.0.1");
      nodes.add(new TlsNode(node, folder).certificate(issued));
      taps.add(WireTap.to(node.port()));
    }
    spare = new TlsNode(created.get(2), folder);
    cluster =
        LocalCluster.register(
            nodes.stream().map(TlsNode::node).toList(), taps.stream().map(WireTap::port).toList());
    for (TlsNode node : nodes) {
      createRoles(node.node());
      node.authority(authority.certificate()).maps(NODE_MAPS).rules(NODE_RULES);
      node.reload("ssl = on", "ssl_ca_file = 'root.crt'");
    }
    routerKey = authority.issueWithKey("router", "RSA", "router");
    routerPassphraseKey = authority.folder().resolve("router-encrypted.key");
    authority.openssl(
        "pkcs8",
        "-topk8",
        "-in",
        "router.key",
        "-out",
        "router-encrypted.key",
        "-passout",
        "pass:open sesame");
    CertificateAuthority.makePrivate(routerPassphraseKey);
    Issued server = authority.issue("server", "router", "DNS:" + HOST);
    certificate = Files.copy(server.certificate(), folder.resolve("server.crt"));
    key = Files.copy(server.key(), folder.resolve("server.key"));
    CertificateAuthority.makePrivate(key);
    rules = Files.writeString(folder.resolve("hba.conf"), CLIENT_RULES);
    revocations = Files.copy(authority.revocations(), folder.resolve("revoked.crl"));
    router = RouterServer.start(Map.of(), options());
    createTable();
  }

  static synchronized TlsCluster shared() throws Exception {
    if (shared == null) {
      shared = new TlsCluster();
    }
    return shared;
  }

  private static void createRoles(LocalNode node) throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      for (String role : ROLES) {
        statement.execute(
            "DO $$ BEGIN EXECUTE 'CREATE ROLE "
                + role
                + " LOGIN PASSWORD ' || (SELECT quote_literal(rolpassword) FROM pg_authid WHERE"
                + " rolname = 'app'); END $$");
        statement.execute("GRANT " + role + " TO router");
      }
      // Applications with the driver do what routers do in their own name.
      statement.execute("GRANT abelian_router TO certonly");
    }
  }

  private void createTable() throws Exception {
    String rows =
        IntStream.rangeClosed(1, 20).mapToObj(i -> "(" + i + ")").collect(Collectors.joining(","));
    for (String statement :
        List.of(
            "CREATE TABLE item (id int PRIMARY KEY, n abelian.counter DEFAULT 0)",
            "SELECT create_distributed_table('item', 'id')",
            "INSERT INTO item VALUES " + rows,
            "GRANT ALL ON item TO PUBLIC")) {
      Result made = psql(Map.of(), statement);
      if (made.exit() != 0) {
        throw new AssertionError(made.output());
      }
    }
  }

  /** What a string says about nodes, with more options. */
  String nodes(String... more) {
    StringBuilder hosts = new StringBuilder();
    StringBuilder ports = new StringBuilder();
    for (WireTap tap : taps) {
      hosts.append(hosts.isEmpty() ? "" : ",").append("127.0.0.1");
      ports.append(ports.isEmpty() ? "" : ",").append(tap.port());
    }
    return "host=" + hosts + " port=" + ports + " dbname=abelian " + String.join(" ", more);
  }

  private List<String> options() throws IOException {
    Path maps = Files.writeString(folder.resolve("ident.conf"), CLIENT_MAPS);
    return List.of(
        "--nodes",
        nodes(
            "user=router password=router sslmode=verify-full",
            "sslrootcert=" + authority.certificate(),
            "sslcert=" + routerKey.certificate(),
            "sslkey=" + routerPassphraseKey,
            "sslpassword='open sesame'"),
        "--ssl=on",
        "--ssl-cert-file=" + certificate,
        "--ssl_key_file=" + key,
        "--ssl-ca-file=" + authority.certificate(),
        "--ssl-crl-file=" + revocations,
        "--hba-file=" + rules,
        "--ident-file=" + maps);
  }

  /** A client's certificate. */
  Issued client(String commonName) {
    return authority.issue("client-" + commonName, commonName);
  }

  /** Runs a statement in psql as app, verified, unless the variables say otherwise. */
  Result psql(Map<String, String> variables, String statement) throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("PGHOST", HOST);
    environment.put("PGPORT", "" + router.port());
    environment.put("PGUSER", LocalNode.USER);
    environment.put("PGPASSWORD", LocalNode.USER);
    environment.put("PGSSLMODE", "verify-full");
    environment.put("PGSSLROOTCERT", authority.certificate().toString());
    environment.putAll(variables);
    return ClientProgram.psql(environment, statement);
  }

  private static void delete(Path folder) {
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      // A stray file in the temporary folder harms nobody.
    }
  }
}
