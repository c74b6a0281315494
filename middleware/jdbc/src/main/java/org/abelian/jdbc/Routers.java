package org.abelian.jdbc;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.Router;
import org.abelian.router.RouterConfig;
import org.abelian.router.trace.Tracer;

/**
 * The routers of this process: connections with the same nodes, database, role and trace share one.
 */
final class Routers {
  private record Wanted(RouterConfig config, Tracer tracer) {
    /** Of what tells most of them apart: to link that of the whole costs the first connection. */
    @Override
    public int hashCode() {
      return 31 * Objects.hashCode(config.database()) + Objects.hashCode(config.user());
    }
  }

  private static final Map<Wanted, String> KEYS = new ConcurrentHashMap<>();
  private static final Map<String, Router> ROUTERS = new ConcurrentHashMap<>();
  private static final AtomicInteger NEXT = new AtomicInteger(1);

  private Routers() {}

  /**
   * The key of the router for that configuration, which is opened when it is asked for first.
   *
   * @param tracer null to record nothing
   */
  static String key(RouterConfig config, Tracer tracer) {
    return KEYS.computeIfAbsent(
        new Wanted(config, tracer),
        wanted -> {
          String key = Integer.toString(NEXT.getAndIncrement());
          ROUTERS.put(key, Router.open(wanted.config(), wanted.tracer()));
          return key;
        });
  }

  /** The router of a key. */
  static Router byKey(String key) {
    Router router = ROUTERS.get(key);
    if (router == null) {
      throw new IllegalArgumentException(
          "no router is open under " + key + "; connect with a URL jdbc:abelian:");
    }
    return router;
  }
}
