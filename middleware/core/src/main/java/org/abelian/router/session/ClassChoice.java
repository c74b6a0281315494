package org.abelian.router.session;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.json.Json;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.Participant;

/**
 * The commit class of a transaction, chosen from what it did.
 *
 * @param reason why no cheaper class would do
 * @param intent of the commuting class; else null
 */
public record ClassChoice(CommitClass commitClass, String reason, Intent intent) {
  /** The setting that can rule classes out: auto, or coordinated. */
  public static final String SETTING = "abelian.commit_class";

  /** The setting that tells the client about each choice. */
  public static final String NOTICE = "abelian.commit_notice";

  /** Chooses. */
  public static ClassChoice of(
      TransactionState transaction, BackendSession backends, List<Participant> writers) {
    if (writers.size() < 2) {
      return single();
    }
    TransactionWork work = transaction.work();
    String obstacle = obstacle(transaction, backends, work);
    if (obstacle == null && !knowsAll(work, writers)) {
      obstacle = "a node wrote for another reason than a statement";
    }
    Intent intent = obstacle == null ? intent(work, writers) : null;
    if (intent == null) {
      String reason =
          obstacle == null ? "a value has a form that may read differently elsewhere" : obstacle;
      return new ClassChoice(CommitClass.COORDINATED, reason, null);
    }
    return new ClassChoice(CommitClass.COMMUTING, "it wrote on several nodes", intent);
  }

  /** As the client is told. */
  @Override
  public String toString() {
    return "commit class " + commitClass + ": " + reason;
  }

  /** A transaction that needs no other node for its COMMIT. */
  public static ClassChoice single() {
    return new ClassChoice(CommitClass.SINGLE, "it wrote on at most one node", null);
  }

  /** A call that every participant has executed. */
  public static ClassChoice independent() {
    return new ClassChoice(CommitClass.INDEPENDENT, "every participant decides alike", null);
  }

  /** Why a transaction of the session that does this is coordinated; null when it need not be. */
  public static String obstacle(
      TransactionState state, BackendSession backends, TransactionWork work) {
    if (backends.says(SETTING, "coordinated")) {
      return SETTING + " is coordinated";
    }
    if (IsolationSettings.isStrict(state, backends)) {
      return "its isolation level is above READ COMMITTED";
    }
    if (!state.changesOf(List.of("role", "session_authorization")).isEmpty()) {
      return "it sets its role";
    }
    return work.obstacle();
  }

  private static boolean knowsAll(TransactionWork work, List<Participant> writers) {
    Set<Integer> known = new HashSet<>();
    work.operations().forEach(operation -> known.add(operation.node()));
    return writers.stream().allMatch(writer -> known.contains(writer.nodeId()));
  }

  private static Intent intent(TransactionWork work, List<Participant> writers) {
    ObjectNode all = Json.object();
    for (BlindOperation operation : work.operations()) {
      if (operation.sum().count() == 0) {
        continue; // It found no row, and shall find none later.
      }
      List<String> values = operation.values();
      if (values == null) {
        return null;
      }
      add(all, operation.node(), operation.sql(), operation.types(), values);
    }
    return new Intent(writers.stream().map(Participant::nodeId).toList(), all.toString());
  }

  /**
   * An operation of a node, in the form that abelian.apply_intent() wants.
   *
   * @param work the operations of all nodes
   * @param values in text form, null for NULL
   */
  public static void add(
      ObjectNode work, int node, String sql, List<Integer> types, List<String> values) {
    ObjectNode entry = work.withArray(Integer.toString(node)).addObject();
    entry.put("sql", sql);
    ArrayNode oids = entry.putArray("types");
    types.forEach(type -> oids.add(Integer.toUnsignedLong(type)));
    ArrayNode texts = entry.putArray("values");
    values.forEach(texts::add);
  }
}
