package org.abelian.router.session;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.abelian.router.json.Json;
import org.abelian.router.transaction.independent.Refusal;

/**
 * How many transactions a router has committed in which class, and why not in a cheaper one. Those
 * that stayed on one node and were committed by its own COMMIT are not counted, except calls of
 * distributed procedures. Thread-safe.
 */
public final class CommitStatistics {
  /** Reasons name tables and functions of users, so there may be many. */
  private static final int REASONS_MAX = 200;

  private final Map<CommitClass, LongAdder> classes = new EnumMap<>(CommitClass.class);
  private final Map<String, LongAdder> reasons = new ConcurrentHashMap<>();

  private final Map<Refusal, LongAdder> refusals = new EnumMap<>(Refusal.class);
  private final LongAdder shared = new LongAdder();

  public CommitStatistics() {
    for (CommitClass each : CommitClass.values()) {
      classes.put(each, new LongAdder());
    }
    for (Refusal each : Refusal.values()) {
      refusals.put(each, new LongAdder());
    }
  }

  public void count(ClassChoice choice) {
    classes.get(choice.commitClass()).increment();
    if (choice.commitClass() == CommitClass.COORDINATED) {
      LongAdder known = reasons.get(choice.reason());
      if (known == null && reasons.size() < REASONS_MAX) {
        known = reasons.computeIfAbsent(choice.reason(), any -> new LongAdder());
      }
      if (known != null) {
        known.increment();
      }
    }
  }

  /** A lane refused a proposal; the call is tried again, or becomes a coordinated transaction. */
  public void countRefused(Refusal refusal) {
    refusals.get(refusal).increment();
  }

  /**
   * How often lanes refused proposals, by the name of the reason; those that never did are not
   * listed.
   */
  public Map<String, Long> refusals() {
    Map<String, Long> counts = new TreeMap<>();
    refusals.forEach(
        (refusal, count) -> {
          if (count.sum() > 0) {
            counts.put(refusal.name().toLowerCase(Locale.ROOT), count.sum());
          }
        });
    return counts;
  }

  /**
   * A call that was run in one transaction with those of other sessions; counted beside its class.
   */
  public void countShared() {
    shared.increment();
  }

  /** How many calls were run in one transaction with those of other sessions. */
  public long shared() {
    return shared.sum();
  }

  /** Transactions that were committed over several connections, by the name of their class. */
  public Map<String, Long> classes() {
    Map<String, Long> counts = new TreeMap<>();
    classes.forEach((name, count) -> counts.put(name.name().toLowerCase(Locale.ROOT), count.sum()));
    return counts;
  }

  /** All of it, as {@code SHOW abelian.commit_statistics} gives it. */
  public String json() {
    return object().toString();
  }

  /** The same with the counts of the trace. */
  public String json(Map<String, Long> trace) {
    ObjectNode all = object();
    ObjectNode counts = all.putObject("trace");
    trace.forEach(counts::put);
    return all.toString();
  }

  private ObjectNode object() {
    ObjectNode all = Json.object();
    ObjectNode counts = all.putObject("classes");
    classes().forEach(counts::put);
    all.put("shared", shared());
    ObjectNode refused = all.putObject("refused_by_lanes");
    refusals().forEach(refused::put);
    ObjectNode why = all.putObject("coordinated_because");
    reasons().forEach(why::put);
    return all;
  }

  /** Why transactions were coordinated. */
  public Map<String, Long> reasons() {
    Map<String, Long> counts = new TreeMap<>();
    reasons.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
  }
}
