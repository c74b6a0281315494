package org.abelian.server.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.abelian.router.pool.NodeAddress;

/**
 * Restores a backup to servers whose databases are empty. They form a cluster only when everything
 * is there.
 */
public final class Restore {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * So much newer becomes the placement, so that a router that has lived on, and has seen changes
   * that came after the backup, reads it anew.
   */
  static final int VERSION_STEP = 1_000_000;

  private final Map<Integer, NodeAddress> replaced;
  private final Access access;
  private final RestoreOptions options;

  /**
   * @param replaced new addresses of nodes; others keep the address that they had
   * @param access as whom; its database does not matter
   */
  public Restore(Map<Integer, NodeAddress> replaced, Access access, RestoreOptions options) {
    this.replaced = Map.copyOf(replaced);
    this.access = access;
    this.options = options;
  }

  /**
   * Restores the backup of a folder. Nothing is changed anywhere before all of it, and all servers,
   * have been checked.
   *
   * @throws BackupException when it cannot be restored, or has failed half-way
   */
  public Manifest from(Path path) throws BackupException {
    BackupFolder folder = new BackupFolder(path);
    Manifest manifest = folder.verify();
    Map<Integer, NodeAddress> addresses = addresses(manifest);
    List<RestoreTarget> targets = new ArrayList<>();
    Access database =
        access.to(options.database() == null ? manifest.database() : options.database());
    boolean begun = false;
    try (EachNode each = new EachNode();
        Program programs = new Program(database)) {
      for (Manifest.Node node : manifest.nodes()) {
        targets.add(
            RestoreTarget.open(
                node, addresses.get(node.id()), database, options.maintenanceDatabase()));
      }
      each.run(targets, target -> target.check(manifest));
      begun = true;
      each.run(targets, target -> fill(target, folder, programs));
      install(each, targets, catalogue(manifest, addresses));
      return manifest;
    } catch (BackupException failed) {
      throw new BackupException(
          begun
              ? "the restore has failed half-way; drop database "
                  + database.database()
                  + " on all nodes before you try again"
              : "nothing was restored",
          failed);
    } finally {
      targets.forEach(RestoreTarget::close);
    }
  }

  private Map<Integer, NodeAddress> addresses(Manifest manifest) throws BackupException {
    Map<Integer, NodeAddress> addresses = new TreeMap<>();
    for (Manifest.Node node : manifest.nodes()) {
      NodeAddress before = NodeAddress.parse(node.address());
      addresses.put(node.id(), replaced.getOrDefault(node.id(), before));
    }
    for (int id : replaced.keySet()) {
      if (!addresses.containsKey(id)) {
        throw new BackupException(
            "the backup has no node " + id + "; it has nodes " + addresses.keySet());
      }
    }
    Set<NodeAddress> distinct = new HashSet<>(addresses.values());
    if (distinct.size() < addresses.size()) {
      throw new BackupException("two nodes have the same address: " + addresses);
    }
    return addresses;
  }

  private Object fill(RestoreTarget target, BackupFolder folder, Program programs)
      throws Exception {
    Globals globals = folder.globals(target.node());
    if (options.roles()) {
      target.createRoles(globals);
    }
    target.createDatabase(globals);
    target.fill(programs, folder.file(target.node().dump()), options.jobs());
    return target;
  }

  /** The catalogue of the backup, with the addresses of now. */
  private static JsonNode catalogue(Manifest manifest, Map<Integer, NodeAddress> addresses) {
    ObjectNode catalogue = manifest.catalogue().deepCopy();
    catalogue.put("version", catalogue.path("version").asLong() + VERSION_STEP);
    for (JsonNode node : catalogue.path("nodes")) {
      NodeAddress address = addresses.get(node.path("id").asInt());
      ((ObjectNode) node).put("host", address.host()).put("port", address.port());
    }
    return catalogue;
  }

  /** A catalogue without what the extension of a node says of itself. */
  private static JsonNode placements(String catalogue) throws JsonProcessingException {
    ObjectNode all = (ObjectNode) JSON.readTree(catalogue);
    return all.without("oldest_router");
  }

  private static void install(EachNode each, List<RestoreTarget> targets, JsonNode catalogue)
      throws BackupException {
    for (String installed : each.run(targets, target -> target.install("" + catalogue))) {
      try {
        if (!placements(installed).equals(placements("" + catalogue))) {
          throw new BackupException(
              "a node has another catalogue than was installed: " + installed);
        }
      } catch (JsonProcessingException notOurs) {
        throw new BackupException("a node's catalogue cannot be read", notOurs);
      }
    }
  }
}
