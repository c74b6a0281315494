package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Gid;
import org.abelian.router.transaction.Intent;
import org.abelian.router.transaction.IntentId;
import org.abelian.router.transaction.Participant;
import org.abelian.router.transaction.StoredIntent;

/**
 * A session's connection to a node in memory, with its backend. Messages arrive when the scheduler
 * says so.
 */
final class ModelConnection implements Participant {
  private static final Pattern COMMIT_INTENT =
      Pattern.compile("SELECT abelian\\.commit_intent\\('([^']+)',(\\d+),'\\{([^}]*)\\}'");

  private enum State {
    IDLE,
    OPEN,
    FAILED
  }

  private final World world;
  private final ModelNode node;
  private final String transaction;
  private final Deque<String> underWay = new ArrayDeque<>();
  private final Deque<Answer> answers = new ArrayDeque<>();
  private State state;
  private boolean broken;
  private boolean clientGone;
  private boolean inOneMessage;
  Gid deciding;
  private final List<StoredIntent> intents = new ArrayList<>();

  /** A connection on which the transaction has done its work. */
  ModelConnection(World world, ModelNode node, String transaction, boolean failed) {
    this.world = world;
    this.node = node;
    this.transaction = transaction;
    this.state = failed ? State.FAILED : State.OPEN;
    node.connections.add(this);
  }

  @Override
  public int nodeId() {
    return node.id;
  }

  @Override
  public boolean inTransaction() {
    return !broken && state != State.IDLE;
  }

  @Override
  public void send(String sql) {
    world.pass(() -> true);
    if (!broken) {
      int semicolon = sql.indexOf("; ");
      if (semicolon > 0) {
        underWay.add(sql.substring(0, semicolon) + ";");
        underWay.add(sql.substring(semicolon + 2));
      } else {
        underWay.add(sql);
      }
    }
  }

  /**
   * Sends work, intents and commit as one message, which is one transaction whatever comes of it.
   */
  void run(List<IntentId> ids, Intent intent) {
    world.pass(() -> true);
    if (!broken) {
      inOneMessage = true;
      underWay.add("CALL;");
      String nodes = intent.nodes().stream().map(String::valueOf).collect(Collectors.joining(","));
      for (IntentId id : ids) {
        underWay.add(
            "SELECT abelian.commit_intent('%s',%d,'{%s}');"
                .formatted(id.router(), id.number(), nodes));
      }
      underWay.add("COMMIT");
    }
  }

  @Override
  public Answer await(Duration limit) {
    world.pass(() -> broken || !answers.isEmpty());
    return answers.isEmpty() ? new Answer.Lost("connection reset") : answers.remove();
  }

  boolean isOpen() {
    return state != State.IDLE;
  }

  boolean hasUnderWay() {
    return node.up && !underWay.isEmpty();
  }

  /** A client that is gone is noticed when nothing is left to do for it. */
  boolean canNoticeClient() {
    return node.up && clientGone && underWay.isEmpty() && state != State.IDLE;
  }

  boolean isBroken() {
    return broken;
  }

  int nodeNumber() {
    return node.id;
  }

  void noticeClient() {
    end();
  }

  /** The connection breaks; what is under way may or may not still arrive. */
  void breakClientSide(boolean arrives) {
    broken = true;
    clientGone = true;
    answers.clear();
    if (!arrives) {
      underWay.clear();
    }
  }

  void serverDied() {
    broken = true;
    underWay.clear();
    answers.clear();
    end();
  }

  private void end() {
    state = State.IDLE;
    deciding = null;
    intents.clear();
  }

  /** The backend takes the next message. */
  void arrive() {
    String sql = underWay.remove();
    Answer answer = execute(sql);
    boolean more = sql.endsWith(";");
    if (more && answer instanceof Answer.Failed) {
      while (more) {
        more = underWay.remove().endsWith(";");
      }
      if (inOneMessage) {
        end();
      }
    }
    if (!more && !broken) {
      answers.add(answer);
    }
  }

  private Answer execute(String sql) {
    if (sql.startsWith("PREPARE TRANSACTION ")) {
      return prepare(gid(sql));
    }
    if (sql.startsWith("COMMIT PREPARED ")) {
      return finish(gid(sql), true);
    }
    if (sql.startsWith("ROLLBACK PREPARED ")) {
      return finish(gid(sql), false);
    }
    if (sql.startsWith("SELECT abelian.decide(")) {
      return decide(gid(sql));
    }
    if (sql.startsWith("SELECT abelian.commit_intent(")) {
      return commitIntent(sql);
    }
    if (sql.equals("CALL;")) {
      return world.happens("body fails") ? failed("57014", null) : new Answer.Done("CALL");
    }
    if (sql.equals("COMMIT")) {
      return commit();
    }
    if (sql.equals("ROLLBACK")) {
      end();
      return new Answer.Done("ROLLBACK");
    }
    throw new IllegalArgumentException(sql);
  }

  private Answer prepare(Gid gid) {
    if (state != State.OPEN) {
      end();
      return new Answer.Done(world.has(Flaw.TAG_UNCHECKED) ? "PREPARE TRANSACTION" : "ROLLBACK");
    }
    state = State.IDLE;
    if (world.happens("deferred constraint fails")) {
      return failed("23503", "a_b_fkey");
    }
    if (world.has(Flaw.COMMIT_BEFORE_DECISION)) {
      node.committed.add(transaction);
    } else {
      node.prepared.put(gid, transaction);
    }
    return new Answer.Done("PREPARE TRANSACTION");
  }

  private Answer finish(Gid gid, boolean commit) {
    String work = node.prepared.remove(gid);
    if (work == null) {
      return failed("42704", null);
    }
    if (commit) {
      node.committed.add(work);
    }
    return new Answer.Done(commit ? "COMMIT PREPARED" : "ROLLBACK PREPARED");
  }

  private Answer decide(Gid gid) {
    if (state != State.OPEN) {
      return failed("25P02", null);
    }
    if (node.decisions.containsKey(gid) && !world.has(Flaw.DECIDE_WITHOUT_UNIQUE_INDEX)) {
      state = State.FAILED;
      return failed("23505", "decision_pkey");
    }
    if (world.has(Flaw.DECIDE_OUTSIDE_TRANSACTION)) {
      node.decisions.put(gid, true);
    } else {
      deciding = gid;
    }
    return new Answer.Done("SELECT 1");
  }

  /** True while it has inserted the row of a commuting transaction, and not committed yet. */
  boolean holdsIntent() {
    return !intents.isEmpty();
  }

  private Answer commitIntent(String sql) {
    if (state != State.OPEN) {
      return failed("25P02", null);
    }
    Matcher call = COMMIT_INTENT.matcher(sql);
    if (!call.lookingAt()) {
      throw new IllegalArgumentException(sql);
    }
    IntentId id = new IntentId(UUID.fromString(call.group(1)), Long.parseLong(call.group(2)));
    List<Integer> nodes =
        Stream.of(call.group(3).split(",")).map(Integer::valueOf).collect(Collectors.toList());
    boolean there = node.intents.rows.containsKey(id.number());
    if (there && !world.has(IntentFlaw.COMMIT_WITHOUT_UNIQUE_INDEX)) {
      state = State.FAILED;
      return failed("23505", "intent_pkey");
    }
    if (node.intents.isClosed(id) && !world.has(IntentFlaw.HORIZON_UNCHECKED)) {
      state = State.FAILED;
      return failed("40001", "intent_pkey");
    }
    StoredIntent intent = new StoredIntent(id, true, new Intent(nodes, "{}"), "app");
    intents.add(intent);
    if (world.has(IntentFlaw.INTENT_OUTSIDE_TRANSACTION)) {
      node.intents.rows.put(id.number(), intent);
    }
    return new Answer.Done("SELECT 1");
  }

  private void commitIntentRow(StoredIntent row) {
    long number = row.id().number();
    node.intents.rows.put(number, row);
    node.intents.did(number, 1);
    if (world.has(IntentFlaw.INTENT_NOT_DURABLE)) {
      node.notOnDisk.add(
          () -> {
            node.intents.rows.remove(number);
            node.intents.did(number, -1);
          });
    }
  }

  private Answer commit() {
    if (state == State.OPEN && world.happens("deferred constraint fails")) {
      end();
      return failed("23503", "a_b_fkey");
    }
    boolean commits = state == State.OPEN;
    if (commits && !transaction.isEmpty()) {
      commitWork();
    }
    end();
    return new Answer.Done(commits ? "COMMIT" : "ROLLBACK");
  }

  private void commitWork() {
    if (!intents.isEmpty()) {
      intents.forEach(this::commitIntentRow);
      return;
    }
    Gid gid = deciding;
    node.committed.add(transaction);
    if (gid != null) {
      node.decisions.put(gid, true);
    }
    if (world.has(Flaw.DECISION_NOT_DURABLE)) {
      node.notOnDisk.add(
          () -> {
            node.committed.remove(transaction);
            node.decisions.remove(gid);
          });
    }
  }

  private static Answer failed(String state, String constraint) {
    return new Answer.Failed(state, state, constraint, state);
  }

  private static Gid gid(String sql) {
    int from = sql.indexOf('\'') + 1;
    return Gid.parse(sql.substring(from, sql.indexOf('\'', from))).orElseThrow();
  }
}
