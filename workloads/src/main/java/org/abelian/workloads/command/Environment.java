package org.abelian.workloads.command;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.abelian.workloads.database.Database;

/**
 * Where the launcher started what is measured: {@code ABELIAN_PLAIN} (host:port of a PostgreSQL
 * outside the cluster), {@code ABELIAN_NODES} (host:port,... of the cluster's nodes), {@code
 * ABELIAN_ROUTER} (host:port of the router server), {@code ABELIAN_ROUTER_PID} (its process),
 * {@code ABELIAN_BINDIR} (folder of pgbench).
 */
final class Environment {
  private static final String DATABASE = "/abelian";
  private static final String USER = "app";

  private Environment() {}

  /** Plain PostgreSQL. */
  static Database plain(String url) {
    return database(url, "--plain-url", "jdbc:postgresql://", "ABELIAN_PLAIN");
  }

  /** The cluster through the driver: the router in this process. */
  static Database driver(String url) {
    return database(url, "--url", "jdbc:abelian://", "ABELIAN_NODES");
  }

  /** The cluster through the router server. */
  static Database server(String url) {
    return database(url, "--server-url", "jdbc:postgresql://", "ABELIAN_ROUTER");
  }

  /** The router server's process; empty when the launcher has started none. */
  static Optional<String> serverPid() {
    return Optional.ofNullable(System.getenv("ABELIAN_ROUTER_PID")).filter(pid -> !pid.isEmpty());
  }

  /** Processor time that the router server has used, in nanoseconds; -1 when it is not known. */
  static long serverNanos() {
    return serverPid()
        .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)))
        .flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toNanos)
        .orElse(-1L);
  }

  /** The cluster's first node, past the router. */
  static Database firstNode(String url) {
    Optional<String> first = nodes().stream().map(Database::url).findFirst();
    return new Database(given(url, "--direct-url", first), USER, USER);
  }

  /** The cluster's nodes, past the router; empty when the launcher named none. */
  static List<Database> nodes() {
    String nodes = System.getenv("ABELIAN_NODES");
    if (nodes == null) {
      return List.of();
    }
    return Arrays.stream(nodes.split(","))
        .map(node -> new Database("jdbc:postgresql://" + node + DATABASE, USER, USER))
        .toList();
  }

  private static Database database(String url, String option, String scheme, String variable) {
    Optional<String> fallback =
        Optional.ofNullable(System.getenv(variable)).map(hosts -> scheme + hosts + DATABASE);
    return new Database(given(url, option, fallback), USER, USER);
  }

  static String given(String value, String option, Optional<String> fallback) {
    if (value != null) {
      return value;
    }
    return fallback.orElseThrow(
        () -> new UsageException("give " + option + ", or start this by ./abelian bench"));
  }
}
