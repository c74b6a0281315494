package org.abelian.workloads.router;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.abelian.workloads.database.Database;

/**
 * What sessions take that do nothing: through the server, where its process and its connections to
 * the nodes count, and on one PostgreSQL, where each is a process. Bytes are those of one session;
 * what cannot be measured is left out.
 */
final class IdleCost {
  private static final String ROUTER = "router_bytes";
  private static final String PLAIN = "plain_bytes";

  private final List<Database> nodes;
  private final String pid;
  private final int sessions;
  private final Map<String, Double> taken = new LinkedHashMap<>();

  /**
   * @param pid of the server's process; null when it is not known
   * @param sessions how many are opened
   */
  IdleCost(List<Database> nodes, String pid, int sessions) {
    this.nodes = nodes;
    this.pid = pid;
    this.sessions = sessions;
  }

  /** Opens sessions of the server, and keeps them open. */
  void openThroughServer(IdleSessions idle) throws IOException, SQLException {
    ServerMemory before = pid == null ? null : ServerMemory.of(pid);
    List<Backends> fewer = backends();
    idle.open();
    List<Backends> more = backends();
    taken.put("node_connections", (double) count(more) - count(fewer));
    if (before != null) {
      ServerMemory after = ServerMemory.of(pid);
      long resident = after.residentBytes() - before.residentBytes();
      taken.put("heap_bytes", each(after.heapBytes() - before.heapBytes()));
      taken.put("resident_bytes", each(resident));
      OptionalLong less = bytes(fewer);
      OptionalLong most = bytes(more);
      if (less.isPresent() && most.isPresent()) {
        taken.put(ROUTER, each(resident + most.getAsLong() - less.getAsLong()));
      }
    }
  }

  /** Opens sessions of one PostgreSQL, and closes them. */
  void openOn(Database plain, IdleSessions idle) throws SQLException {
    OptionalLong before = Backends.of(plain).bytes();
    idle.open();
    OptionalLong after = Backends.of(plain).bytes();
    idle.close();
    if (before.isPresent() && after.isPresent()) {
      taken.put(PLAIN, each(after.getAsLong() - before.getAsLong()));
    }
  }

  /** All that was measured, by name. */
  Map<String, Double> taken() {
    return taken;
  }

  /**
   * How many times as much one takes on PostgreSQL alone. Null when that is not known, as where the
   * server's process has given back more meanwhile than the sessions took.
   */
  Double plainOverRouter() {
    Double plain = taken.get(PLAIN);
    Double router = taken.get(ROUTER);
    return plain == null || router == null || router <= 0 ? null : plain / router;
  }

  private List<Backends> backends() throws SQLException {
    List<Backends> all = new ArrayList<>();
    for (Database node : nodes) {
      all.add(Backends.of(node));
    }
    return all;
  }

  private static int count(List<Backends> all) {
    return all.stream().mapToInt(Backends::count).sum();
  }

  private static OptionalLong bytes(List<Backends> all) {
    long sum = 0;
    for (Backends one : all) {
      OptionalLong bytes = one.bytes();
      if (bytes.isEmpty()) {
        return bytes;
      }
      sum += bytes.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  private double each(long bytes) {
    return (double) bytes / sessions;
  }
}
