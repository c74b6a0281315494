package org.abelian.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Several nodes that know each other: the same node list is registered on each, in the same order,
 * so node ids agree. Closing removes all of them.
 */
public final class LocalCluster implements AutoCloseable {
  private final List<LocalNode> nodes;
  private final List<Integer> advertisedPorts;

  private LocalCluster(List<LocalNode> nodes, List<Integer> advertisedPorts) {
    this.nodes = List.copyOf(nodes);
    this.advertisedPorts = List.copyOf(advertisedPorts);
  }

  /** Creates a cluster of so many nodes, started and registered, without any placed table. */
  public static LocalCluster create(int count) {
    return create(count, Map.of());
  }

  /** Same, with extra configuration parameters for every node. */
  public static LocalCluster create(int count, Map<String, String> settings) {
    List<LocalNode> nodes = createNodes(count, settings);
    return register(nodes, nodes.stream().map(LocalNode::port).collect(Collectors.toList()));
  }

  /**
   * Registers existing nodes under other ports than their own, for instance those of proxies that
   * stand between the router and the nodes.
   */
  public static LocalCluster register(List<LocalNode> nodes, List<Integer> advertisedPorts) {
    LocalCluster cluster = new LocalCluster(nodes, advertisedPorts);
    for (LocalNode node : nodes) {
      cluster.registerAllOn(node);
    }
    return cluster;
  }

  /** Nodes that know each other already, under their own ports. */
  public static LocalCluster adopt(List<LocalNode> nodes) {
    return new LocalCluster(
        nodes, nodes.stream().map(LocalNode::port).collect(Collectors.toList()));
  }

  /** Creates nodes side by side; none of them knows of the others. */
  public static List<LocalNode> createNodes(int count, Map<String, String> settings) {
    List<CompletableFuture<LocalNode>> pending =
        IntStream.range(0, count)
            .mapToObj(NodeVersions::of)
            .map(of -> CompletableFuture.supplyAsync(() -> LocalNode.create(of, settings)))
            .collect(Collectors.toList());
    List<LocalNode> nodes = new ArrayList<>();
    for (CompletableFuture<LocalNode> node : pending) {
      nodes.add(node.join());
    }
    return nodes;
  }

  private void registerAllOn(LocalNode node) {
    try (Connection connection = node.connectAsSuperuser();
        Statement asRouter = connection.createStatement();
        PreparedStatement add = connection.prepareStatement("SELECT abelian.add_node(?, ?)")) {
      // Nodes take changes of the node list from routers only, which make them on every node.
      asRouter.execute("SET abelian.placement_version = 2147483647");
      for (int port : advertisedPorts) {
        add.setString(1, "127.0.0.1");
        add.setInt(2, port);
        add.execute();
      }
    } catch (SQLException e) {
      throw new HarnessException("cannot register the nodes on " + node, e);
    }
  }

  public List<LocalNode> nodes() {
    return nodes;
  }

  public LocalNode node(int index) {
    return nodes.get(index);
  }

  /** Comma-separated {@code host:port} list of the registered addresses. */
  public String addresses() {
    return advertisedPorts.stream().map(p -> "127.0.0.1:" + p).collect(Collectors.joining(","));
  }

  /** URL for the router inside the driver, without user and password. */
  public String driverUrl() {
    return "jdbc:abelian://" + addresses() + "/" + LocalNode.DATABASE;
  }

  /** Opens a connection through the driver as the ordinary user. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(driverUrl(), LocalNode.USER, LocalNode.USER);
  }

  @Override
  public void close() {
    nodes.forEach(LocalNode::close);
  }

  @Override
  public String toString() {
    return nodes.toString();
  }
}
