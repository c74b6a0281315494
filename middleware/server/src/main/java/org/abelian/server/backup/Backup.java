package org.abelian.server.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.database.JdbcPool;
import org.abelian.router.pool.NodeAddress;

/** Takes a backup of a whole cluster at one moment while it works on. */
public final class Backup {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final int ANSWER_SECONDS = 30;
  private static final String CATALOGUE = "SELECT abelian.catalog()::text";
  private static final String EXTENSION =
      "SELECT extversion FROM pg_extension WHERE extname = 'abelian_cluster'";

  /** The number of a node that no catalogue numbers. */
  private static final int LONE_NODE = 1;

  private final NodeAddress first;
  private final Access access;
  private final BackupOptions options;
  private final MomentChoice moments;

  /** Makes the way in which snapshots are taken; tests have others. */
  @FunctionalInterface
  interface MomentChoice {
    Moment with(EachNode each);
  }

  /**
   * @param first any node; its catalogue names the others
   */
  public Backup(NodeAddress first, Access access, BackupOptions options) {
    this(first, access, options, each -> new GatedMoment(each, options.gateMillis()));
  }

  Backup(NodeAddress first, Access access, BackupOptions options, MomentChoice moments) {
    this.first = first;
    this.access = access;
    this.options = options;
    this.moments = moments;
  }

  /**
   * Writes it to a folder, which must be empty or not exist.
   *
   * @throws BackupException when it cannot be taken; the folder is empty then
   */
  public Manifest to(Path path) throws BackupException {
    BackupFolder folder = new BackupFolder(path);
    Map<Integer, NodeAddress> nodes = nodes();
    folder.create();
    boolean complete = false;
    List<NodeSession> sessions = new ArrayList<>();
    try (EachNode each = new EachNode();
        Program programs = new Program(access)) {
      for (Map.Entry<Integer, NodeAddress> node : nodes.entrySet()) {
        sessions.add(
            NodeSession.open(node.getKey(), node.getValue(), access, options.lockWaitMillis()));
      }
      moments.with(each).take(sessions);
      JsonNode catalogue = catalogue(sessions, nodes);
      String takenAt = read(sessions.get(0), "SELECT to_json(clock_timestamp()) #>> '{}'");
      String extension = sameEverywhere(sessions);
      int server = 0;
      for (NodeSession session : sessions) {
        server = Math.max(server, Integer.parseInt(read(session, "SHOW server_version_num")));
      }
      List<Manifest.Node> dumped = each.run(sessions, session -> dump(session, folder, programs));
      Manifest manifest =
          new Manifest(takenAt, access.database(), extension, server, catalogue, dumped);
      folder.finish(manifest);
      complete = true;
      return manifest;
    } catch (IOException failed) {
      throw new BackupException("cannot write to \"" + path + "\"", failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new BackupException("interrupted");
    } finally {
      sessions.forEach(NodeSession::close);
      if (!complete) {
        folder.discard();
      }
    }
  }

  /** The addresses of all nodes, by their numbers. */
  private Map<Integer, NodeAddress> nodes() throws BackupException {
    try (JdbcPool pool = access.pool(first, "", ANSWER_SECONDS);
        Connection connection = pool.connection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(CATALOGUE)) {
      rows.next();
      return nodes(JSON.readTree(rows.getString(1)), first);
    } catch (SQLException failed) {
      throw new BackupException("cannot ask the node at " + first + " for the cluster", failed);
    } catch (JsonProcessingException notOurs) {
      throw new BackupException("the catalogue of " + first + " cannot be read", notOurs);
    }
  }

  /**
   * The addresses in a catalogue.
   *
   * @param asked the node that was asked, which is alone when the catalogue names none
   */
  private static Map<Integer, NodeAddress> nodes(JsonNode catalogue, NodeAddress asked) {
    Map<Integer, NodeAddress> nodes = new TreeMap<>();
    for (JsonNode node : catalogue.path("nodes")) {
      nodes.put(
          node.path("id").asInt(),
          new NodeAddress(node.path("host").asText(), node.path("port").asInt()));
    }
    if (nodes.isEmpty()) {
      nodes.put(LONE_NODE, asked);
    }
    return nodes;
  }

  /** The catalogue, which all snapshots must have alike. */
  private static JsonNode catalogue(List<NodeSession> sessions, Map<Integer, NodeAddress> asked)
      throws BackupException {
    JsonNode same = null;
    for (NodeSession session : sessions) {
      JsonNode catalogue;
      try {
        catalogue = JSON.readTree(read(session, CATALOGUE));
      } catch (JsonProcessingException notOurs) {
        throw new BackupException(
            "the catalogue of node " + session.id() + " cannot be read", notOurs);
      }
      if (same != null && !same.equals(catalogue)) {
        throw new BackupException(
            "nodes "
                + sessions.get(0).id()
                + " and "
                + session.id()
                + " have different catalogues, versions "
                + same.path("version")
                + " and "
                + catalogue.path("version"));
      }
      same = catalogue;
    }
    if (!nodes(same, sessions.get(0).address()).equals(asked)) {
      throw new BackupException("nodes were added or removed meanwhile; begin again");
    }
    return same;
  }

  private static String sameEverywhere(List<NodeSession> sessions) throws BackupException {
    String same = read(sessions.get(0), EXTENSION);
    for (NodeSession session : sessions) {
      String version = read(session, EXTENSION);
      if (!same.equals(version)) {
        throw new BackupException(
            ("nodes %d and %d have versions %s and %s of the extensions: ALTER EXTENSION abelian"
                    + " UPDATE, ALTER EXTENSION abelian_cluster UPDATE")
                .formatted(sessions.get(0).id(), session.id(), same, version));
      }
    }
    return same;
  }

  private static String read(NodeSession session, String query) throws BackupException {
    try {
      return session.read(query);
    } catch (SQLException failed) {
      throw new BackupException("node " + session.id(), failed);
    }
  }

  private Manifest.Node dump(NodeSession session, BackupFolder folder, Program programs)
      throws Exception {
    Globals globals;
    try {
      globals = new GlobalsReader(session.snapshot()).read(options.passwords());
    } catch (SQLException failed) {
      throw new BackupException(
          "cannot read the roles of node " + session.id() + "; see --no-role-passwords", failed);
    }
    String name = "node-" + session.id();
    List<String> arguments =
        List.of(
            "--format=custom",
            "--compress=" + options.compression(),
            "--snapshot=" + session.exported(),
            "--lock-wait-timeout=" + options.lockWaitMillis());
    // Through a pipe, so that it ends when this process is killed.
    Manifest.StoredFile dump =
        folder.write(
            name + ".dump", file -> programs.run("pg_dump", session.address(), arguments, file));
    return new Manifest.Node(
        session.id(),
        session.address().toString(),
        session.read("SELECT pg_current_wal_lsn()"),
        session.tables(),
        dump,
        folder.writeJson(name + "-globals.json", globals));
  }
}
