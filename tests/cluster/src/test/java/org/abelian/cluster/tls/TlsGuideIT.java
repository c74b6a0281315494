package org.abelian.cluster.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.abelian.harness.CertificateAuthority.Issued;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of docs/guide/tls.md, carried out in order on this machine: only hosts, ports and
 * the place of the programs are others.
 */
@Timeout(180) // a hang is a failure, not a wait
class TlsGuideIT {
  private static final String PROGRAM =
      "java -cp 'abelian-server.jar:lib/*' org.abelian.server.Main";

  /** A fenced block of the page. */
  private record Block(String kind, String text) {}

  @TempDir Path folder;

  private TlsNode node;
  private RouterServer router;

  @Test
  void theExamplesOfTheGuideWork() throws Exception {
    List<Block> blocks = blocks();
    node = TlsCluster.shared().spare;
    int outputs = 0;
    try {
      for (int i = 0; i < blocks.size(); i++) {
        Block block = blocks.get(i);
        if (!block.kind().equals("sh")) {
          continue;
        }
        if (block.text().startsWith(PROGRAM)) {
          setUpNode(blocks);
          router = RouterServer.start(Map.of(), options(block));
          continue;
        }
        String output = bash(block.text());
        if (i + 1 < blocks.size() && blocks.get(i + 1).kind().equals("text")) {
          assertEquals(here(blocks.get(i + 1).text()), output, block.text());
          outputs++;
        }
      }
    } finally {
      if (router != null) {
        router.close();
      }
    }
    assertEquals(3, outputs);
  }

  private static List<Block> blocks() throws IOException {
    Path page = Path.of(System.getenv("ABELIAN_REPOSITORY"), "docs/guide/tls.md");
    List<Block> blocks = new ArrayList<>();
    StringBuilder text = null;
    String kind = null;
    for (String line : Files.readAllLines(page)) {
      if (!line.startsWith("```")) {
        if (text != null) {
          text.append(line).append('\n');
        }
      } else if (text == null) {
        kind = line.substring(3);
        text = new StringBuilder();
      } else {
        blocks.add(new Block(kind, text.toString()));
        text = null;
      }
    }
    return blocks;
  }

  /** What the page says, with this machine in place of those of the example. */
  private String here(String text) {
    String port = router == null ? "" : Integer.toString(router.port());
    return text.replace("DNS:$3", "DNS:$3,IP:127.0.0.1")
        .replace("\"router.example.org\" (192.0.2.1)", "\"127.0.0.1\"")
        .replace("host=router.example.org", "host=localhost hostaddr=127.0.0.1")
        .replace("router.example.org", "localhost")
        .replace("db1.example.org port=5432", "127.0.0.1 port=" + node.node().port())
        .replace("db1.example.org", "localhost")
        .replace("192.0.2.1", "127.0.0.1")
        .replace("port=6432", "port=" + port)
        .replace("port 6432", "port " + port);
  }

  /** Both streams, of all commands. */
  private String bash(String commands) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", here(commands))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    String path = LocalNode.binDirectory() + ":" + builder.environment().get("PATH");
    builder.environment().putAll(Map.of("PATH", path, "PGPASSWORD", "app", "LC_ALL", "C.UTF-8"));
    Process process = builder.start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), commands);
    String text = Files.readString(output, StandardCharsets.UTF_8);
    assertEquals(0, process.exitValue(), commands + text);
    return text;
  }

  private void setUpNode(List<Block> blocks) throws Exception {
    node.certificate(new Issued(folder.resolve("db1.crt"), folder.resolve("db1.key")))
        .authority(folder.resolve("ca.crt"))
        .rules(text(blocks, "pg_hba"))
        .maps(text(blocks, "pg_ident"))
        .reload("ssl = on", "ssl_ca_file = 'root.crt'");
    LocalCluster.register(List.of(node.node()), List.of(node.node().port()));
    try (Connection connection = node.node().connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE report LOGIN");
      statement.execute("GRANT report TO router");
    }
    Files.writeString(folder.resolve("password"), LocalNode.ROUTER + "\n");
  }

  private static String text(List<Block> blocks, String kind) {
    return blocks.stream().filter(b -> b.kind().equals(kind)).findFirst().orElseThrow().text();
  }

  /** As the shell splits them, with files where they are. */
  private List<String> options(Block block) throws Exception {
    String words = bash(block.text().replace(PROGRAM, "printf '%s\\n'"));
    List<String> options = new ArrayList<>(List.of(words.split("\n")));
    int listen = options.indexOf("--listen");
    options.subList(listen, listen + 2).clear();
    options.replaceAll(
        option ->
            option
                .replaceAll("=(\\w+\\.(?:crt|key|conf))", "=" + folder + "/$1")
                .replaceAll("^password$", folder + "/password"));
    return options;
  }
}
