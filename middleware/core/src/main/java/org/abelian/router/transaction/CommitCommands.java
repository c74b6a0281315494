package org.abelian.router.transaction;

import java.util.List;
import java.util.UUID;

/** What a router says to a node on its client's connection, sealed where the node wants it. */
final class CommitCommands {
  /** Runs what the transaction has deferred, and waits for those who go before it. */
  static final String FINISH_DEFERRED = "SELECT abelian.finish_deferred()";

  private CommitCommands() {}

  /**
   * Ends a node's part that has changed nothing. A SERIALIZABLE transaction that has only read
   * takes an id there first, without which the node would forget its conflicts with those that go
   * on: docs/protocols/serializable.md.
   */
  static String endRead(CommitRequest request) {
    return request.serializable() && request.writers().isEmpty()
        ? "SELECT pg_catalog.pg_current_xact_id(); COMMIT"
        : "COMMIT";
  }

  /** Inserts the decision to commit into the holder's transaction. */
  static String decide(Gid gid, Participant holder) {
    return call("decide", holder, gid.toString());
  }

  /** Asks for the conflicts of a SERIALIZABLE transaction, and has the node assume both. */
  static String holdConflicts(Gid gid, Participant node) {
    return call("hold_conflicts", node, gid.toString());
  }

  /** Has the node assume these. */
  static String settleConflicts(Gid gid, ConflictSet kept, Participant node) {
    return call("settle_conflicts", node, gid.toString(), kept.toString());
  }

  private static String call(String function, Participant node, String... arguments) {
    String seal = node.seal(function, arguments);
    String list = "'" + String.join("','", arguments) + "'";
    return "SELECT abelian." + function + "(" + list + (seal == null ? ")" : ",'" + seal + "')");
  }

  /** Prepares; the tag of the last statement is the vote. */
  static List<String> prepare(Gid gid, Participant other) {
    String prepare = "PREPARE TRANSACTION '" + gid + "'";
    String seal = other.seal("vote", gid.toString());
    return seal == null
        ? List.of(prepare)
        : List.of("SELECT abelian.vote('" + gid + "','" + seal + "')", prepare);
  }

  /** Tells the node's lane what others have met. */
  static String advance(LaneClock clock, UUID router, Participant node) {
    String seal = node.seal("independent_advance", Long.toString(clock.at()));
    return seal == null
        ? clock.sql()
        : "SELECT abelian.independent_advance(" + clock.at() + ",'" + router + "','" + seal + "')";
  }

  /** Commits a node's part together with the intent of the whole. */
  static String commitIntent(IntentId id, Intent intent, Participant node) {
    String nodes = intent.nodesText();
    String number = Long.toString(id.number());
    // This form of a literal is read alike whatever standard_conforming_strings says.
    String literal = intent.work().replace("\\", "\\\\").replace("'", "''");
    String seal = node.seal("commit_intent", number, nodes, intent.work());
    return "SELECT abelian.commit_intent('"
        + id.router()
        + "',"
        + number
        + ",'"
        + nodes
        + "',E'"
        + literal
        + (seal == null ? "" : "','" + seal)
        + "'); COMMIT";
  }
}
