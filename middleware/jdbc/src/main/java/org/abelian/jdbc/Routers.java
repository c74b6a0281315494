package org.abelian.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.Router;
import org.abelian.router.RouterConfig;

/** The routers of this process: connections with the same nodes, database and role share one. */
final class Routers {
  private static final Map<RouterConfig, String> KEYS = new ConcurrentHashMap<>();
  private static final Map<String, Router> ROUTERS = new ConcurrentHashMap<>();
  private static final AtomicInteger NEXT = new AtomicInteger(1);

  private Routers() {}

  /** The key of the router for that configuration, which is opened when it is asked for first. */
  static String key(RouterConfig config) {
    return KEYS.computeIfAbsent(
        config,
        wanted -> {
          String key = Integer.toString(NEXT.getAndIncrement());
          ROUTERS.put(key, Router.open(wanted));
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
