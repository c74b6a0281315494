package org.abelian.server.backup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.List;

/**
 * What a backup holds.
 *
 * @param takenAt by the clock of the first node, when all snapshots had been taken
 * @param database its name
 * @param extension version of the extensions, the same on all nodes
 * @param server version of PostgreSQL, as {@code server_version_num}; the greatest of the nodes'
 * @param catalogue placement, procedures and nodes, as abelian.catalog() gives them
 * @param nodes in the order of their numbers
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Manifest(
    String takenAt,
    String database,
    String extension,
    int server,
    JsonNode catalogue,
    List<Node> nodes) {
  /**
   * What is there of a node.
   *
   * @param address {@code host:port} at which it was
   * @param lsn how far its log was, after its snapshot was taken
   * @param tables how many tables the dump has
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  public record Node(
      int id, String address, String lsn, int tables, StoredFile dump, StoredFile globals) {}

  /**
   * A file beside the manifest.
   *
   * @param size in bytes
   * @param sha256 in hexadecimal digits
   */
  public record StoredFile(String name, long size, String sha256) {}
}
