package org.abelian.advisor.trace.log;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;

/**
 * Puts the statements of sessions together to transactions: those between BEGIN and COMMIT, those
 * that share a virtual transaction id, else each by itself. What failed or was rolled back is left
 * out.
 */
final class Transactions {
  private final Sink sink;
  private final List<Executed> open = new ArrayList<>();
  private String session;
  private String shared;
  private boolean inBlock;
  private boolean failed;
  private long dropped;

  /**
   * A statement that was executed.
   *
   * @param shape its text without literals, which all statements alike have
   * @param text that the facts are about
   * @param name what its client calls the transaction; null when it does not say
   */
  record Executed(
      String shape, String text, StatementFacts facts, List<String> parameters, String name) {}

  /** Gets the transactions. */
  @FunctionalInterface
  interface Sink {
    /** One transaction that was committed. */
    void add(List<Executed> statements);
  }

  Transactions(Sink sink) {
    this.sink = sink;
  }

  /** How many transactions were left out, because they failed or their end is not in the log. */
  long dropped() {
    return dropped;
  }

  /** The next statement. Entries of a session follow each other. */
  void add(LogEntry entry, Executed executed) {
    follow(entry);
    StatementFacts facts = executed.facts();
    if (facts.kind() == StatementKind.UTILITY && facts.calls().body() == null) {
      control(facts.command().utility());
      return;
    }
    if (facts.relations().isEmpty() && facts.calls().body() == null) {
      return;
    }
    open.add(executed);
    if (!inBlock && shared == null) {
      finish(true);
    }
  }

  /** The next error. */
  void fail(LogEntry entry) {
    follow(entry);
    if (inBlock) {
      failed = true;
    } else if (!open.isEmpty()) {
      open.clear();
      dropped++;
    }
  }

  /** After the last entry. */
  void end() {
    finish(!inBlock);
    inBlock = false;
  }

  private void follow(LogEntry entry) {
    if (!entry.session().equals(session)) {
      end();
      session = entry.session();
      shared = null;
    }
    String id = entry.transaction();
    // Number 0 is no transaction: the statement's own is over by the time it is logged.
    String now = id == null || id.isEmpty() || id.endsWith("/0") ? null : id;
    if (!inBlock && shared != null && !shared.equals(now)) {
      finish(true);
    }
    shared = now;
  }

  private void control(UtilityKind utility) {
    if (utility == UtilityKind.BEGIN) {
      finish(!inBlock);
      inBlock = true;
    } else if (utility == UtilityKind.COMMIT) {
      finish(true);
      inBlock = false;
    } else if (utility == UtilityKind.ROLLBACK_TO) {
      failed = false;
    } else if (utility == UtilityKind.ROLLBACK) {
      failed |= !open.isEmpty();
      finish(true);
      inBlock = false;
    }
  }

  private void finish(boolean whole) {
    if (!open.isEmpty()) {
      if (whole && !failed) {
        sink.add(List.copyOf(open));
      } else {
        dropped++;
      }
    }
    open.clear();
    failed = false;
  }
}
