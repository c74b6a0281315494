package org.abelian.router.procedure;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.router.json.Json;

/**
 * What a router has learned about the procedures whose calls were misrouted. It serves speed only:
 * nodes find out whatever a rule gets wrong. A new version of the catalogue makes it forget all.
 * Thread-safe.
 */
public final class RoutingRules {
  private static final int PROCEDURES_MAX = 200;

  private final LongAdder attempts = new LongAdder();
  private volatile State state = new State(0, Map.of());

  /** Read without a lock by every call; replaced when a procedure joins. */
  private record State(long version, Map<String, ProcedureRules> procedures) {}

  /** What is known about a procedure; null when no call of it has been misrouted. */
  public ProcedureRules of(String signature, long version) {
    State now = state;
    return now.version() == version ? now.procedures().get(signature) : null;
  }

  /** An attempt of a call was misrouted. */
  public synchronized void misrouted(String signature, long version) {
    attempts.increment();
    if (version < state.version()) {
      return;
    }
    Map<String, ProcedureRules> procedures =
        new TreeMap<>(version == state.version() ? state.procedures() : Map.of());
    if (procedures.size() < PROCEDURES_MAX) {
      procedures.computeIfAbsent(signature, any -> new ProcedureRules());
    }
    state = new State(version, procedures);
  }

  /** All of it, as {@code SHOW abelian.routing_rules} gives it. */
  public String json(long version) {
    ObjectNode all = Json.object();
    all.put("misrouted_attempts", attempts.sum());
    ArrayNode rules = all.putArray("rules");
    State now = state;
    if (now.version() == version) {
      now.procedures().forEach((signature, known) -> known.describe(signature, rules));
    }
    return all.toString();
  }
}
