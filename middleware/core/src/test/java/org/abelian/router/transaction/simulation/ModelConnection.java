package org.abelian.router.transaction.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Gid;
import org.abelian.router.transaction.Participant;

/**
 * A session's connection to a node in memory, with its backend. Messages arrive when the scheduler
 * says so.
 */
final class ModelConnection implements Participant {
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
  Gid deciding;

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
  }

  /** The backend takes the next message. */
  void arrive() {
    String sql = underWay.remove();
    Answer answer = execute(sql);
    boolean more = sql.endsWith(";");
    if (more && answer instanceof Answer.Failed) {
      underWay.remove();
      more = false;
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
