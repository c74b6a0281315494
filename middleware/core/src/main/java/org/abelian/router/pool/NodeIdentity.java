package org.abelian.router.pool;

import java.util.Map;
import org.abelian.router.protocol.ScramSecret;

/**
 * As whom connections are opened: clients that agree in all of it share connections.
 *
 * @param startup the parameters of the StartupMessage
 * @param secret what the node is given as proof; null for none
 */
public record NodeIdentity(Map<String, String> startup, ScramSecret secret) {
  /** Copies the parameters. */
  public NodeIdentity {
    startup = Map.copyOf(startup);
  }

  /** The role. */
  public String user() {
    return startup.get("user");
  }
}
