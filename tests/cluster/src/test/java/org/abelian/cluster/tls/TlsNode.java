package org.abelian.cluster.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalNode;

/** A node whose certificate, authorities and rules for clients can be changed while it runs. */
final class TlsNode {
  /** Lets the harness in, whatever the rules under test are. */
  private static final String OWN_RULES =
      "local all abelian peer\nhost all abelian 127.0.0.1/32 scram-sha-256\n";

  private final LocalNode node;
  private final Path folder;

  TlsNode(LocalNode node, Path parent) throws IOException {
    this.node = node;
    folder = Files.createDirectory(parent.resolve(node.name()));
  }

  LocalNode node() {
    return node;
  }

  /** Shows clients that certificate from now on. */
  TlsNode certificate(Issued issued) throws IOException {
    put(issued.certificate(), "server.crt");
    put(issued.key(), "server.key");
    return this;
  }

  /** Accepts certificates of clients by that authority. */
  TlsNode authority(Path certificate) throws IOException {
    put(certificate, "root.crt");
    return this;
  }

  /** Lets clients in by these rules, which do not concern the superuser. */
  TlsNode rules(String rules) throws IOException {
    write("pg_hba.conf", OWN_RULES + rules);
    return this;
  }

  /** Maps names of certificates to roles. */
  TlsNode maps(String lines) throws IOException {
    write("pg_ident.conf", lines);
    return this;
  }

  private void put(Path file, String name) throws IOException {
    Path copy = folder.resolve(name);
    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    node.put(List.of(copy));
  }

  private void write(String name, String text) throws IOException {
    node.put(List.of(Files.writeString(folder.resolve(name), text)));
  }

  /** Changes settings and reads all files again; returns when new connections see it. */
  void reload(String... settings) throws SQLException, InterruptedException {
    String before = loadTime();
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      for (String setting : settings) {
        statement.execute("ALTER SYSTEM SET " + setting);
      }
      statement.execute("SELECT pg_reload_conf()");
    }
    for (int i = 0; i < 3000 && loadTime().equals(before); i++) {
      Thread.sleep(10);
    }
  }

  private String loadTime() throws SQLException {
    try (Connection connection = node.connectAsSuperuser();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_conf_load_time()")) {
      row.next();
      return row.getString(1);
    }
  }
}
